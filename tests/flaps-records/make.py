#!/usr/bin/env python3
"""Writes the records of this folder whose names stand below: worlds with and
without another writer, told by tests/reference/fw.py.

    python3 tests/flaps-records/make.py

The others (false-writer, writer-missed, bounds-as-writer, unreach-cpu) are
records of such worlds in which `flaps` was wrong. `recreated-hpa.yaml.gz` is a
capture of a real cluster: an HPA that was deleted and created again.
"""
import gzip, os, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'reference'))
from fw import CPU, FW, noise, square

def edit(**bounds):
    return lambda world: world.spec.update(bounds)

AT_ONCE = {'scaleDown': {'stabilizationWindowSeconds': 0}}
WORLDS = {
    # Somebody sets the size: to what, how often, and who.
    'writer-90s': dict(load=noise(1500, .02, 3), size=8, writer=(2, 90, 'kustomize-controller'), minutes=20),
    'writer-400s': dict(load=noise(2000, .02, 4), size=8, writer=(3, 400, 'helm'), minutes=35),
    'writer-61s': dict(load=noise(1500, .03, 5), behavior=AT_ONCE, size=5, writer=(12, 61, 'scale-bot'), minutes=15),
    # Nobody does; the client drops events beyond a burst of 25.
    'burst-square': dict(load=square(600, 3600, 120), behavior=AT_ONCE, size=6, minutes=30),
    'burst-noise': dict(load=noise(3000, .15, 9), behavior=AT_ONCE, size=10, minutes=20),
    'burst-wide': dict(load=noise(2200, .6, 8), behavior=AT_ONCE, size=6, minutes=15),
    # Somebody edits the bounds.
    'bounds-max': dict(load=noise(3000, .003, 2), size=9, minutes=30,
                       edits=[(240 * i, edit(maxReplicas=4 if i % 2 else 20)) for i in range(1, 8)]),
    'bounds-min': dict(load=noise(900, .003, 2), behavior=AT_ONCE, size=4, minutes=30,
                       edits=[(240 * i, edit(minReplicas=7 if i % 2 else 2)) for i in range(1, 8)]),
    'bounds-both': dict(load=noise(1500, .003, 2), behavior=AT_ONCE, size=5, minutes=25,
                        edits=[(200 * i, edit(minReplicas=10 if i % 2 else 2, maxReplicas=15 if i % 2 else 20)) for i in range(1, 8)]),
    # What idle pods use is above the target; and a load that is just large.
    'idle-8': dict(metrics=CPU(8), load=lambda s: 0, burst=(90, 99999), size=3, mx=12, minutes=15),
    'idle-10': dict(metrics=CPU(10), load=lambda s: 60, burst=(140, 99999), size=2, mx=9, minutes=15),
    'idle-5': dict(metrics=CPU(5), load=lambda s: 0, burst=(60, 99999), size=2, mx=10, minutes=15),
    'large-load': dict(load=lambda s: 4000, size=3, mx=9, minutes=15),
}

for seed, (name, world) in enumerate(WORLDS.items()):
    path = os.path.join(HERE, name)
    FW(7000 + seed, **{'metrics': CPU(), **world}).run(path)
    with open(path + '.jsonl', 'rb') as record, open(path + '.jsonl.gz', 'wb') as out:
        with gzip.GzipFile(filename='', fileobj=out, mode='wb', compresslevel=9, mtime=0) as packed:
            packed.write(record.read())
    os.remove(path + '.jsonl')
    os.remove(path + '.snap.json')
