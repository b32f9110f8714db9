"""The fleet's picture in a renderer: to the eye what tests/golden/cases/fit-picture/fleet.png shows.

Compared are the mean colours of squares: fonts differ between machines, and no letter fills a square."""
import shutil
import struct
import zlib

from . import lib

CASE = lib.CHECKOUT / "tests" / "golden" / "cases" / "fit-picture"
GOLDEN = CASE / "fleet.png"
WIDTH = 800
SIDE = 8  # of a square, in pixels
DIFFERENT = 24  # of 255, in the mean of one channel
MOST = 8  # squares that may be so: another font makes one of 3,200


def pixels(path):
    """Width, height and the rows of an 8-bit RGB picture, its filters undone."""
    data = path.read_bytes()
    at, packed, size = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">IIBBBBB", body)
        packed += body if kind == b"IDAT" else b""
        at += length + 12
    width, height, depth, colour, _, _, interlaced = size
    if (depth, interlaced) != (8, 0) or colour not in (2, 6):
        raise ValueError(f"{path.name} is no plain 8-bit RGB picture")
    step = 3 if colour == 2 else 4
    return width, height, list(rows(zlib.decompress(packed), height, width * step, step)), step


def rows(data, height, stride, step):
    prior = bytearray(stride)
    for y in range(height):
        start = y * (stride + 1)
        row = bytearray(data[start + 1:start + 1 + stride])
        for i in range(stride):
            left, above = row[i - step] if i >= step else 0, prior[i]
            corner = prior[i - step] if i >= step else 0
            row[i] = row[i] + predicted(data[start], left, above, corner) & 255
        yield row
        prior = row


def predicted(kind, left, above, corner):
    if kind < 4:
        return (0, left, above, (left + above) // 2)[kind]
    estimate = left + above - corner
    return min((left, above, corner), key=lambda value: abs(estimate - value))


def means(picture):
    """The mean colour of each square."""
    width, height, lines, step = picture
    for y in range(0, height - SIDE + 1, SIDE):
        for x in range(0, width - SIDE + 1, SIDE):
            square = [line[i * step:i * step + 3] for line in lines[y:y + SIDE] for i in range(x, x + SIDE)]
            yield tuple(sum(channel) / len(square) for channel in zip(*square))


def differing(ours, golden):
    """How many squares differ, in words; "" for few."""
    if ours[:2] != golden[:2]:
        return f"{ours[0]} by {ours[1]} pixels, not {golden[0]} by {golden[1]}"
    count = sum(max(map(abs, (a - b for a, b in zip(x, y)))) > DIFFERENT for x, y in zip(means(ours), means(golden)))
    return f"{count} squares differ" if count > MOST else ""


def drawn(svg, shop, name):
    """What the renderer makes of it, or its complaint."""
    source, picture = shop.folder / f"{name}.svg", shop.folder / f"{name}.png"
    source.write_text(svg)
    done = lib.run(["rsvg-convert", "-w", WIDTH, "-b", "white", source, "-o", picture])
    return pixels(picture) if done.returncode == 0 else lib.says(done)


def compare(report, shop, svg, name, golden):
    picture = drawn(svg, shop, name)
    if not report.check(f"{name} is drawn", not isinstance(picture, str), picture):
        return
    difference = differing(picture, golden)
    report.check(f"{name} looks as the golden picture", not difference, difference)


def judge(report, shop):
    if not shutil.which("rsvg-convert"):
        return report.skip("librsvg", "pictures", "rsvg-convert is not installed (librsvg2-bin)")
    report.check("the golden picture is at most 100 kB", GOLDEN.stat().st_size <= 100_000)
    golden = pixels(GOLDEN)
    asked = lib.run([shop.muster, "fit", "lab.muster", "--format", "svg"], cwd=CASE)
    if report.check("fit draws the fleet", asked.stdout.startswith("<svg"), lib.says(asked)):
        compare(report, shop, asked.stdout, "fleet", golden)
        for path in lib.broken_files("pictures", ".sed"):
            edit = lib.mutation(path)
            lib.must_reject(report, path, lambda inner, edit=edit, path=path: compare(inner, shop, edit(asked.stdout), path.stem, golden))
    return None
