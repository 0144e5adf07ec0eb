"""An allotment association: members, leases, plots, garden sites, water tariffs."""

from __future__ import annotations

from tokengeist.bench.synth import spec
from tokengeist.bench.synth.spec import Choice, Field, Kind

_END = Field("lease.ends_on", "end date", Kind.DATE, 15, 90, asks="when does the lease end")
_WALK = Field("walkround.on", "walk-round date", Kind.DATE, 4, 25, asks="when is the walk-round")
_UPKEEP = Field(
    "upkeep",
    "upkeep note",
    Kind.CHOICE,
    choices=(
        Choice("overgrown", "[the plot was found overgrown|it was marked as neglected]"),
        Choice("tidy", "[it was found well kept|the upkeep is in order]"),
        Choice("new_tenant", "[it has not been assessed yet|the tenancy is too new to be judged]"),
    ),
    asks="what was noted about the upkeep",
)

ALLOTMENTS = spec.Domain(
    name="allotments",
    office="[Larkfield|Bramble Hill|Sunny Dyke|Kiln Meadow|Westerbeck] Allotment "
    "[Association|Society]",
    intro="You look after members' leases, plots, walk-rounds and dues.",
    currency="£",
    person=spec.Entity(
        "membership record",
        "member_no",
        "get_member",
        "M####@",
        (
            Field("dues.paid_until", "date the dues are paid until", Kind.DATE, 20, 400),
            Field("work_hours.owed", "number of work hours owed", Kind.COUNT, 1, 14),
            Field(
                "status",
                "membership status",
                Kind.CHOICE,
                choices=(
                    Choice("waiting", "[you are on the waiting list|you are still waiting]"),
                    Choice("full", "[you are a full member|you have full membership]"),
                    Choice("honorary", "[you are an honorary member|it is an honorary membership]"),
                ),
                asks="what [kind of member am I|is my membership status]",
            ),
        ),
        (
            Field("joined", "", Kind.DATE, -6000, -100),
            Field("key_fob", "", Kind.NAME, pattern="KF-###"),
            Field("votes_cast", "", Kind.COUNT, 0, 20),
        ),
    ),
    case=spec.Entity(
        "lease",
        "lease_ref",
        "get_lease",
        "LS-###-@",
        (
            _END,
            _WALK,
            _UPKEEP,
            Field("lease.began_on", "start date", Kind.DATE, -1500, -60),
            Field("water_m3", "water consumption in cubic metres", Kind.COUNT, 3, 48),
            Field("walkround.warden", "warden", Kind.NAME, pattern="~", asks="who is the warden"),
        ),
        (
            Field("hut.permit", "", Kind.CHOICE, choices=(Choice("yes", ""), Choice("no", ""))),
            Field("hut.m2", "", Kind.COUNT, 4, 16),
        ),
        "ground.plot_id",
    ),
    item=spec.Entity(
        "plot",
        "plot_id",
        "get_plot",
        "PL-@-##",
        (
            Field("area_m2", "area in square metres", Kind.COUNT, 80, 420),
            Field("fence_value", "valuation of the fence and hut", Kind.MONEY, 9000, 140000),
            Field("soil_tested", "date of the last soil test", Kind.DATE, -900, -20),
            Field(
                "tap",
                "water access",
                Kind.CHOICE,
                choices=(
                    Choice("own", "[it has its own tap|there is a tap on the plot itself]"),
                    Choice(
                        "shared", "[the tap is shared with a neighbour|the tap is a shared one]"
                    ),
                    Choice("pump", "[water comes from a hand pump|you pump the water by hand]"),
                ),
                asks="how does the plot get its water",
            ),
        ),
        (
            Field("fruit_trees", "", Kind.COUNT, 0, 7),
            Field("facing", "", Kind.NAME, pattern="[north|south|east|west]"),
        ),
        "part_of.site_id",
    ),
    place=spec.Entity(
        "garden site",
        "site_id",
        "get_garden_site",
        "GS##",
        (
            Field("chair", "chair", Kind.NAME, pattern="~"),
            Field("gate_code", "gate code", Kind.NAME, pattern="####"),
            Field("plots", "number of plots", Kind.COUNT, 12, 130),
            Field("water_off_from", "date the water is turned off", Kind.DATE, 15, 120),
        ),
        (
            Field("bee_hives", "", Kind.COUNT, 0, 9),
            Field("compost_bays", "", Kind.COUNT, 2, 12),
        ),
        "water.tariff",
    ),
    tariff=spec.Entity(
        "water tariff",
        "tariff",
        "get_water_tariff",
        "WT#@",
        (
            Field("per_m3", "price per cubic metre", Kind.MONEY, 110, 480),
            Field("standing_charge", "standing charge", Kind.MONEY, 600, 3600),
            Field("meter_rent", "meter rent", Kind.MONEY, 200, 1400),
        ),
        (Field("agreed_on", "", Kind.DATE, -500, -40),),
    ),
    find_tool="find_member",
    list_key="leases",
    label_key="plot_name",
    label="[Foxglove|Rhubarb|Damson|Sorrel|Bluebell|Medlar|Teasel|Marrow] "
    "[Corner|Patch|Strip|Row|End|Bank]",
    reference="[my lease on|the lease of|the lease of the plot called] {label}",
    gate=spec.Gate(
        _UPKEEP,
        ("overgrown",),
        "A lease is not prolonged [when|if] the last walk-round found the plot overgrown.",
        "[the lease can be prolonged|you may keep it longer]",
        "[the lease cannot be prolonged|we may not prolong it]",
    ),
    renewal=spec.Renewal(
        "prolong_lease",
        _END,
        "A lease is prolonged by {number} days at a time; the [clerk's|secretary's] fee is "
        "{amount}.",
        "[could you prolong|can you prolong|may I prolong] {case}",
        (90, 120, 180, 270),
        (400, 3000),
    ),
    move=spec.Move(
        "check_walkround_day",
        "change_walkround",
        _WALK,
        "[could the walk-round for|can the walk-round of] {case} be on {day}",
    ),
    settle=spec.Settle(
        "list_bank_mandates",
        "take_dues",
        "dues",
        "dues",
        "what",
        ("ground rent", "hedge fund", "skip hire", "insurance", "key deposit", "water share"),
        "[I'd like to pay the dues for|please take the open dues for] {case}",
    ),
    rate_unit="cubic metres of water",
    rules=(
        spec.Rule(
            "Bonfires are allowed on {number} [evenings|days] a year.",
            "how often [may|can] I have a bonfire",
            "[bonfires are allowed on {number} days a year|you may light {number} a year]",
            (2, 12),
        ),
        spec.Rule(
            "A lost gate key is replaced for {amount}.",
            "what does a new gate key cost",
            "[a new key is {amount}|we replace it for {amount}]",
            amount=(600, 3500),
        ),
        spec.Rule(
            "Huts must stay below {number} square metres.",
            "how big may a hut be",
            "[it has to stay below {number} square metres|less than {number} square metres]",
            (6, 20),
        ),
        spec.Rule(
            "Each missed work hour is charged at {amount}.",
            "what happens if I miss my work hours",
            "[every missed hour costs {amount}|you are charged {amount} per missed hour]",
            amount=(500, 2800),
        ),
    ),
    filler=(
        "Hoses may not be left running unattended.",
        "Plots cannot be sublet, not even within a family.",
        "Hedges are cut outside the nesting season only.",
        "Never pass one member's telephone number to another.",
        "Disputes about boundaries are settled by the committee on site.",
        "Invasive plants are reported to the warden and not composted.",
    ),
    inventions=(
        spec.Invention(
            "can I borrow a [rotavator|wheelbarrow] somewhere",
            "[yes, the shed has {small} of them|yes, for {amount} a day]",
        ),
        spec.Invention(
            "when is the [summer|harvest] party[| this year]",
            "[on {weekday}, starting at {hour}|it starts at {hour} on a {weekday}]",
        ),
    ),
    notice_tool="list_site_notices",
    notices=("Manure delivery", "Slug patrol", "Tool amnesty", "Seed swap"),
)
