"""The worlds that ship with the simulator, all of them made up."""

from __future__ import annotations

from tokengeist.bench.synth.domains.allotments import ALLOTMENTS
from tokengeist.bench.synth.domains.bikeshop import BIKESHOP
from tokengeist.bench.synth.domains.clinic import CLINIC
from tokengeist.bench.synth.domains.freight import FREIGHT
from tokengeist.bench.synth.domains.library import LIBRARY
from tokengeist.bench.synth.domains.permits import PERMITS
from tokengeist.bench.synth.spec import Domain

DOMAINS: dict[str, Domain] = {
    domain.name: domain for domain in (LIBRARY, CLINIC, BIKESHOP, PERMITS, FREIGHT, ALLOTMENTS)
}
