#!/bin/bash
# flux: -N 4
flux run a
