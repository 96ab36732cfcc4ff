"""Run the program or its tests from a fresh checkout; everything that is missing is set up first.

    python3 packaging/dev.py app [FILE] [--lang en|zh]
    python3 packaging/dev.py test [--long] [arguments for pytest]
    python3 packaging/dev.py bench [arguments for pytest]
    python3 packaging/dev.py soak [--actions N] [--seed S]
    python3 packaging/dev.py wheel|bundle|deb
    python3 packaging/dev.py kills [--kills N]
    python3 packaging/dev.py mutations [--inputs N]

Finds a Python that the program runs on and hands over to checkout.py beside it. Pythons as old as 2.7 can read this
file: they have to live long enough to say that they are too old.
"""

import os
import subprocess
import sys

FIRST, LAST = (3, 11), (3, 14)
RANGE = "3.{} to 3.{}".format(FIRST[1], LAST[1])
FITS = "import sys; sys.exit(not {} <= sys.version_info[:2] <= {})".format(FIRST, LAST)
HERE = os.path.dirname(os.path.abspath(__file__))


def main(words):
    if not FIRST <= sys.version_info[:2] <= LAST:
        return with_fitting_python(words)
    sys.path.insert(0, HERE)
    from checkout import main as set_up_and_run

    return set_up_and_run(words, usage=__doc__.strip(), fits=FITS)


def with_fitting_python(words):
    """Hand over to another Python of this machine, or one that uv brings."""
    for command in candidates():
        if fits(command):
            return handed_over(command + [os.path.abspath(__file__)] + words)
    present = ".".join(map(str, sys.version_info[:3]))
    sys.stderr.write("A Python from {} is needed; this is {}, and no other was found.\n".format(RANGE, present))
    return 1


def candidates():
    """Yield commands that may run a fitting Python, the newest first; a version manager may shadow one by a dead
    name."""
    for minor in range(LAST[1], FIRST[1] - 1, -1):
        for folder in os.environ.get("PATH", "").split(os.pathsep):
            yield [os.path.join(folder, "python3.{}".format(minor))]
        yield ["py", "-3.{}".format(minor)]
    yield ["uv", "run", "--no-project", "--python", ">=3.{},<3.{}".format(FIRST[1], LAST[1] + 1), "python"]


def fits(command):
    """Return whether it runs at all, and is what its name says."""
    try:
        with open(os.devnull, "w") as nowhere:
            return subprocess.call(command + ["-c", FITS], stdout=nowhere, stderr=nowhere) == 0
    except OSError:
        return False


def handed_over(command):
    """Become the command, so that signals and exit codes are its own; where that cannot be, its exit code."""
    if os.name != "nt":
        os.execvp(command[0], command)
    return subprocess.call(command)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped.\n")
        sys.exit(130)
