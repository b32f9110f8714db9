#!/bin/sh
# says: Double quote to prevent globbing
exec probe $MUSTER_NAME
