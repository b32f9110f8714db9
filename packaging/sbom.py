"""The software bill of materials of one executable: SPDX 2.3 as JSON."""
import hashlib
import json
import re
import time
import urllib.parse

from components import COMPONENTS


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def component_entry(component, packages):
    name, version = packages.name(component), packages.version(component)
    locator = f"pkg:deb/debian/{urllib.parse.quote(name)}@{urllib.parse.quote(version)}"
    return {
        "SPDXID": identifier(component.package.format(gcc=packages.gcc)),
        "name": component.name,
        "versionInfo": version,
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": component.license,
        "licenseDeclared": component.license,
        "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": "LIBRARY",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}],
    }


def sbom(name, version, commit, seconds, executable, packages):
    """`seconds`: the commit's time, which stands for the time of creation so that the document is reproducible."""
    digest = hashlib.sha256(executable).hexdigest()
    own = {
        "SPDXID": "SPDXRef-muster",
        "name": "muster",
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": "APPLICATION",
        "sourceInfo": f"built from commit {commit}",
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
    }
    entries = [component_entry(component, packages) for component in COMPONENTS]
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{digest}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)), "creators": ["Tool: muster-packaging"]},
        "packages": [own, *entries],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-muster"},
            *({"spdxElementId": "SPDXRef-muster", "relationshipType": "STATIC_LINK", "relatedSpdxElement": entry["SPDXID"]} for entry in entries),
        ],
    }
    return json.dumps(document, indent=2) + "\n"
