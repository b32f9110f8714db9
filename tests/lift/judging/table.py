"""What a campaign found, as text."""
import collections
import re

from . import compare

VERDICTS = ("equal", "named", "silent", "deleted", "not imported", "no record", "broken")
ON_PODS = ("equal", "named", "silent", "deleted", "refused")
GRADES = ("lifted", "lifted with script", "lifted with compat", "wrapped", "none")


def show(results, silent=False):
    print(f"{'':<20}" + "".join(f"{verdict:>14}" for verdict in VERDICTS) + f"{'processes':>12}")
    grades = [*GRADES, *sorted({result["grade"] for result in results} - set(GRADES))]
    for grade in [*grades, "all"]:
        group = [result for result in results if grade in ("all", result["grade"])]
        if group:
            counts = collections.Counter(result["verdict"] for result in group)
            compared = sum(result.get("processes", 0) for result in group)
            print(f"{grade:<20}" + "".join(f"{counts[verdict]:>14}" for verdict in VERDICTS) + f"{compared:>12}")
    compared = [result for result in results if result["verdict"] in ("equal", "named", "silent", "deleted")]
    good = sum(result["verdict"] in ("equal", "named") for result in compared)
    print(f"equal or named: {good} of {len(compared)}" + (f" ({100 * good / len(compared):.1f} %)" if compared else ""))
    reasons("no record", results)
    reasons("not imported", results)
    reasons("broken", results)
    causes(results)
    for result in results if silent else ():
        if result["verdict"] in ("silent", "deleted"):
            print(f"\n{result['blob']} ({called(result)}{result['grade']}; {result['origin']})")
            details([each for each in result["differences"] if not each["named"]][:6])
    show_pods(results, silent)


def show_pods(results, silent):
    """The same table for pods: of each grade, how many are equal, named, silent, and not written for pods."""
    tried = [result for result in results if "pods_differences" in result or "pods_refused" in result]
    if not tried:
        return
    print(f"\n{'on pods':<20}" + "".join(f"{verdict:>14}" for verdict in ON_PODS))
    for grade in [*GRADES, "all"]:
        group = [result for result in tried if grade in ("all", result["grade"])]
        if group:
            counts = collections.Counter(pods_verdict(result) for result in group)
            print(f"{grade:<20}" + "".join(f"{counts[verdict]:>14}" for verdict in ON_PODS))
    for why, count in collections.Counter(result["pods_refused"][:140] for result in tried if "pods_refused" in result).most_common(8):
        print(f"  refused       {count:>5}  {why}")
    for result in tried if silent else ():
        if pods_verdict(result) in ("silent", "deleted"):
            print(f"\n{result['blob']} on pods ({called(result)}{result['grade']}; {result['origin']})")
            details([each for each in result["pods_differences"] if not each["named"]][:4])


def pods_verdict(result):
    if "pods_refused" in result:
        return "refused"
    return compare.verdict(result["pods_differences"])


def called(result):
    return f"given {result['arguments']}; " if result.get("arguments") else ""


def details(differences):
    for each in differences:
        when = f", {each['when']}" if "when" in each else ""
        print(f"  {each['what']} {each['name']}{when}\n    original: {each['before'][:600]}\n    result:   {each['after'][:600]}")


def reasons(verdict, results):
    found = collections.Counter(re.sub(r"\d+", "N", result["why"].strip().split("\n")[-1][:110]) for result in results if result["verdict"] == verdict)
    for why, count in found.most_common(12):
        print(f"  {verdict:<14}{count:>5}  {why}")


def causes(results):
    """How many scripts have a silent difference of each kind."""
    for named, title in ((False, "silent"), (True, "named")):
        found = collections.defaultdict(list)
        for result in results:
            for what in {f"{each['what']} {each['name']}" if each["what"] in ("env", "process gone", "process added") else each["what"]
                         for each in result.get("differences", []) if each["named"] == named}:
                found[what].append(result["blob"])
        for what, blobs in sorted(found.items(), key=lambda pair: -len(pair[1]))[:20]:
            print(f"  {title:<7}{len(blobs):>5}  {what}  e.g. {' '.join(blob[:10] for blob in blobs[:4])}")


def show_manifests(results, silent):
    """For the same kind and for Slurm: of each kind, how many objects are equal, named, silent, refused."""
    from . import manifests_campaign
    for key, title in (("same", "as the same kind"), ("slurm", "on Slurm")):
        print(f"{title:<20}" + "".join(f"{verdict:>14}" for verdict in (*ON_PODS, "not imported", "no record", "broken")))
        for kind in [*sorted({result["kind"] for result in results if result["kind"]}), "all"]:
            counts = collections.Counter(manifests_campaign.of(result, key) for result in results if kind in ("all", result["kind"]))
            print(f"{kind:<20}" + "".join(f"{counts[verdict]:>14}" for verdict in (*ON_PODS, "not imported", "no record", "broken")))
    print(f"objects that ran: {sum('processes' in result for result in results)}, processes: {sum(result.get('processes', 0) for result in results)}")
    reasons("no record", results)
    reasons("broken", results)
    for result in results if silent else ():
        for key in ("same", "slurm"):
            found = [each for each in result.get(key, []) if not each["named"]]
            if found:
                print(f"\n{result['file']} {result['object']} {'on Slurm' if key == 'slurm' else 'as the same kind'} ({result['grade']})")
                details(found[:5])
