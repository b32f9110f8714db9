"""Pods that a scheduler places one after the other: whether an order, and a choice among the nodes with room, leaves one of
them without a node."""


def strands(nodes, roles):
    """`nodes`: what is free on each, GPUs, CPUs, MiB. `roles`: of each how many pods, and what one takes. Every way is tried."""
    seen = set()
    ways = [(tuple(sorted(nodes)), tuple(pods for pods, _ in roles))]
    while ways:
        free, left = ways.pop()
        for place, (_, each) in enumerate(roles):
            if not left[place]:
                continue
            open_to = {node for node in free if all(want <= have for want, have in zip(each, node))}
            if not open_to:
                return True
            for node in open_to:
                rest = list(free)
                rest.remove(node)
                rest.append(tuple(have - want for want, have in zip(each, node)))
                way = tuple(sorted(rest)), left[:place] + (left[place] - 1,) + left[place + 1:]
                if way not in seen:
                    seen.add(way)
                    ways.append(way)
    return False
