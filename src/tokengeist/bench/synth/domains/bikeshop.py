"""A bicycle workshop: customers, repair jobs, bicycles, workshop bays, labour rates."""

from __future__ import annotations

from tokengeist.bench.synth import spec
from tokengeist.bench.synth.spec import Choice, Field, Kind

_STORAGE = Field(
    "storage.free_until", "end of free storage", Kind.DATE, 2, 15, asks="until when is storage free"
)
_HANDOVER = Field("handover.day", "handover day", Kind.DATE, 3, 18, asks="when can it be picked up")
_PARTS = Field(
    "parts.state",
    "parts status",
    Kind.CHOICE,
    choices=(
        Choice("complete", "[all the parts are in|every part has arrived]"),
        Choice("backorder", "[a part is still on order|we are waiting for a part]"),
        Choice("customer_supplied", "[you brought the parts yourself|the parts came from you]"),
    ),
    asks="have the parts [arrived|come in]",
)

BIKESHOP = spec.Domain(
    name="bikeshop",
    office="[Spoke & Anchor|Tailwind|Crankside|Two Bells|Northgate] [Cycle Works|Bike Workshop]",
    intro="You deal with repair jobs, the bicycles in our bays, handover days and bills.",
    currency="$",
    person=spec.Entity(
        "customer account",
        "customer_ref",
        "get_customer",
        "CU-@###",
        (
            Field("club.points", "number of club points", Kind.COUNT, 15, 940),
            Field("club.voucher", "voucher amount", Kind.MONEY, 500, 6000),
            Field(
                "club.level",
                "club level",
                Kind.CHOICE,
                choices=(
                    Choice("none", "[you are not in the club|there is no club membership]"),
                    Choice("rider", "[you are a regular club rider|you have the basic membership]"),
                    Choice("captain", "[you are a road captain|you have the highest level]"),
                ),
                asks="[what|which] club level am I",
            ),
        ),
        (
            Field("first_visit", "", Kind.DATE, -3000, -50),
            Field("sms_opt_in", "", Kind.CHOICE, choices=(Choice(True, ""), Choice(False, ""))),
            Field("jobs_total", "", Kind.COUNT, 1, 40),
        ),
    ),
    case=spec.Entity(
        "repair job",
        "job_no",
        "get_job",
        "J#####",
        (
            _STORAGE,
            _HANDOVER,
            _PARTS,
            Field("labour.hours", "number of labour hours", Kind.COUNT, 1, 9),
            Field("checked_in", "check-in date", Kind.DATE, -20, -2),
            Field(
                "labour.mechanic", "mechanic", Kind.NAME, pattern="~", asks="who is working on it"
            ),
        ),
        (
            Field("tag_colour", "", Kind.NAME, pattern="[red|blue|yellow]"),
            Field("photos", "", Kind.COUNT, 0, 8),
        ),
        "bike.frame_no",
    ),
    item=spec.Entity(
        "bicycle",
        "frame_no",
        "get_bicycle",
        "@@#####@",
        (
            Field("tyre_size", "tyre size", Kind.NAME, pattern="[28|32|37|42]-622"),
            Field("insured_value", "insured value", Kind.MONEY, 25000, 480000),
            Field("gears", "number of gears", Kind.COUNT, 3, 27),
            Field("warranty_until", "end of the warranty", Kind.DATE, 20, 600),
            Field(
                "brakes",
                "brake type",
                Kind.CHOICE,
                choices=(
                    Choice(
                        "hydraulic_disc", "[it has hydraulic discs|it stops with hydraulic discs]"
                    ),
                    Choice("rim", "[it has rim brakes|the brakes are the rim kind]"),
                    Choice("coaster", "[it has a coaster brake|you brake by pedalling backwards]"),
                ),
                asks="what brakes does the bicycle have",
            ),
        ),
        (
            Field("colour", "", Kind.NAME, pattern="[moss|slate|coral|sand]"),
            Field("sold_on", "", Kind.DATE, -2500, -100),
        ),
        "stand.bay",
    ),
    place=spec.Entity(
        "bay",
        "bay",
        "get_bay",
        "BAY-@#",
        (
            Field("foreman", "foreman", Kind.NAME, pattern="~"),
            Field("extension", "phone extension", Kind.NAME, pattern="4##"),
            Field("stands", "number of stands", Kind.COUNT, 4, 22),
            Field("refit_on", "refit date", Kind.DATE, 15, 140),
        ),
        (
            Field("compressor_bar", "", Kind.COUNT, 6, 10),
            Field("daylight", "", Kind.CHOICE, choices=(Choice(True, ""), Choice(False, ""))),
        ),
        "labour.rate_code",
    ),
    tariff=spec.Entity(
        "labour rate",
        "rate_code",
        "get_labour_rate",
        "LR##",
        (
            Field("per_hour", "hourly labour rate", Kind.MONEY, 3200, 8800),
            Field("rush_surcharge", "rush surcharge", Kind.MONEY, 800, 3500),
            Field("storage_per_day", "storage charge per day", Kind.MONEY, 100, 700),
        ),
        (Field("reviewed_on", "", Kind.DATE, -400, -20),),
    ),
    find_tool="lookup_customer",
    list_key="jobs",
    label_key="bike",
    label="[green|old|steel|grey|black|folding|red] [Marlow|Kestrel|Tornby|Vireo|Dunlin|Osprey] "
    "[tourer|racer|tandem|roadster|cargo bike]",
    reference="[my|the job on my|the repair of the] {label}",
    gate=spec.Gate(
        _PARTS,
        ("complete",),
        "Free storage is [extended only|only extended] for jobs that wait for parts or whose "
        "parts the customer supplied.",
        "[free storage can be extended|we can keep it longer for free]",
        "[free storage cannot be extended|we can't store it longer for free]",
    ),
    renewal=spec.Renewal(
        "extend_storage",
        _STORAGE,
        "An extension of storage runs for {number} days and carries a [label|tag] fee of {amount}.",
        "[could you keep|can you store] {case} a while longer",
        (5, 8, 12, 15, 20),
        (200, 1500),
    ),
    move=spec.Move(
        "quote_handover",
        "set_handover",
        _HANDOVER,
        "[could I collect|can I fetch|may I pick up] {case} on {day}",
    ),
    settle=spec.Settle(
        "list_cards_on_file",
        "charge_job",
        "charges",
        "bill",
        "part",
        ("chain", "brake pads", "bottom bracket", "inner tube", "cable set", "wheel truing"),
        "[I'd like to pay for|please charge me for|I want to pay the bill for] {case}",
    ),
    rate_unit="hours of labour",
    rules=(
        spec.Rule(
            "Repairs carry a guarantee of {number} months [on the work|on labour].",
            "what guarantee [is there|do I get] on repairs",
            "[our work is guaranteed for {number} months|you have {number} months of guarantee]",
            (3, 18),
        ),
        spec.Rule(
            "An estimate costs {amount}, which is credited [towards the job|if the job goes "
            "ahead].",
            "[do you charge|is there a charge] for an estimate",
            "[an estimate costs {amount}|yes, {amount}, credited against the repair]",
            amount=(500, 3000),
        ),
        spec.Rule(
            "Loan bikes are lent for at most {number} days per job.",
            "how long could I have a loan bike",
            "[a loan bike is yours for {number} days at most|up to {number} days per job]",
            (2, 12),
        ),
        spec.Rule(
            "Cleaning before a repair is billed at {amount} if the bicycle is [muddy|very dirty].",
            "what if [the bike|it] is dirty[| when I bring it]",
            "[cleaning is billed at {amount}|a cleaning charge of {amount} applies to dirty bikes]",
            amount=(700, 2500),
        ),
    ),
    filler=(
        "Carbon frames with visible cracks are never repaired, only returned.",
        "Customers do not enter the bays; the foreman brings the bicycle out.",
        "Old parts are recycled unless the customer asks for them beforehand.",
        "Do not promise a finishing time of day, only a day.",
        "E-bike batteries are removed before storage.",
        "Bicycles left for half a year are given to the school project.",
    ),
    inventions=(
        spec.Invention(
            "do you [also |]sell helmets",
            "[yes, we stock {large} models|yes, from {amount} upwards]",
        ),
        spec.Invention(
            "could I get the bike [washed|polished] too",
            "[yes, a wash takes {small} hours|certainly, polishing is {amount}]",
        ),
    ),
    notice_tool="list_bay_notices",
    notices=("New truing stand", "Paint fumes", "Tool inventory", "Open workshop evening"),
)
