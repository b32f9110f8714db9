"""One authority and one certificate for the API server and all webhooks: made once a machine, for a snapshot of etcd
holds a secret that is made of them."""
import pathlib
import shutil
import subprocess

AUTHORITY = "training-operator-ca"
NAMES = ("IP:127.0.0.1", "DNS:localhost", "DNS:kubernetes", "DNS:training-operator.kubeflow.svc",
         "DNS:kubeflow-trainer-controller-manager.kubeflow-system.svc", "DNS:webhook-service.kueue-system.svc")


def make(folder):
    """Fills the folder with ca.pem, ca.key, tls.crt, tls.key, sa.key and the tokens of the API server."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=work, check=True, stdin=subprocess.DEVNULL, capture_output=True)

    work = folder.with_name(folder.name + ".new")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    # The training operator reads keys in the older form only.
    openssl("genrsa", "-traditional", "-out", "ca.key", "2048")
    # The training operator takes no other authority than one of this name.
    openssl("req", "-x509", "-new", "-key", "ca.key", "-subj", f"/CN={AUTHORITY}", "-addext", f"subjectAltName=DNS:{AUTHORITY}", "-days", "3650", "-out", "ca.pem")
    openssl("genrsa", "-traditional", "-out", "tls.key", "2048")
    openssl("req", "-new", "-key", "tls.key", "-subj", "/CN=localhost", "-out", "tls.csr")
    (work / "names").write_text("subjectAltName=" + ",".join(NAMES))
    openssl("x509", "-req", "-in", "tls.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "3650", "-out", "tls.crt", "-extfile", "names")
    openssl("genrsa", "-out", "sa.key", "2048")
    (work / "tokens").write_text('judge,admin,admin,"system:masters"\n')
    work.rename(folder)


def place(pki, state):
    """Copies for webhooks where operators look for them."""
    for target in (state / "k8s-webhook-server/serving-certs", state / "kueue/metrics/certs"):
        target.mkdir(parents=True, exist_ok=True)
        for name, copy in (("tls.crt", "tls.crt"), ("tls.key", "tls.key"), ("ca.pem", "ca.crt")):
            shutil.copy(pki / name, target / copy)


def folder(parts):
    pki = parts.cache / "pki"
    if not pki.exists():
        make(pathlib.Path(pki))
    return pki
