"""A city permit office: applicants, permits, premises, district offices, fee classes."""

from __future__ import annotations

from tokengeist.bench.synth import spec
from tokengeist.bench.synth.spec import Choice, Field, Kind

_EXPIRES = Field(
    "term.expires", "expiry date", Kind.DATE, 10, 60, asks="when does it [expire|run out]"
)
_INSPECTION = Field(
    "inspection.date", "inspection date", Kind.DATE, 4, 30, asks="when is the inspection"
)
_OBJECTION = Field(
    "objection",
    "objection status",
    Kind.CHOICE,
    choices=(
        Choice("lodged", "[a neighbour has objected|there is an open objection against it]"),
        Choice("none", "[nobody has objected|no objection was filed]"),
        Choice("dismissed", "[the objection was thrown out|the objection has been rejected]"),
    ),
    asks="has anyone objected[| to it]",
)

PERMITS = spec.Domain(
    name="permits",
    office="City of [Brackwater|Ostermead|Vellin|Carrow|Thornhaven] Permit Office",
    intro="You inform applicants about their permits, extend terms, change inspection dates and "
    "collect fees.",
    currency="$",
    person=spec.Entity(
        "applicant file",
        "applicant_no",
        "get_applicant",
        "AP-##-####",
        (
            Field("account.deposit_held", "deposit held", Kind.MONEY, 5000, 80000),
            Field("account.last_statement", "date of the last statement", Kind.DATE, -60, -3),
            Field(
                "standing",
                "standing",
                Kind.CHOICE,
                choices=(
                    Choice(
                        "registered_trade", "[you are a registered trade|the file is a trade's]"
                    ),
                    Choice("private", "[you are filed as a private person|it is a private file]"),
                    Choice("charity", "[you count as a charity|the file is that of a charity]"),
                ),
                asks="[how|as what] am I registered",
            ),
        ),
        (
            Field("mail_preference", "", Kind.NAME, pattern="[paper|portal]"),
            Field("opened_on", "", Kind.DATE, -3000, -90),
            Field("filings_total", "", Kind.COUNT, 1, 30),
        ),
    ),
    case=spec.Entity(
        "permit",
        "permit_no",
        "get_permit",
        "PN/####/@",
        (
            _EXPIRES,
            _INSPECTION,
            _OBJECTION,
            Field("term.granted", "grant date", Kind.DATE, -120, -10),
            Field("conditions", "number of conditions", Kind.COUNT, 1, 11),
            Field(
                "inspection.inspector", "inspector", Kind.NAME, pattern="~", asks="who inspects it"
            ),
        ),
        (
            Field("dossier.shelf", "", Kind.NAME, pattern="@-##"),
            Field("dossier.sheets", "", Kind.COUNT, 4, 80),
        ),
        "premises.parcel_id",
    ),
    item=spec.Entity(
        "parcel",
        "parcel_id",
        "get_parcel",
        "PCL####",
        (
            Field("floor_area_m2", "floor area in square metres", Kind.COUNT, 30, 900),
            Field("assessed_value", "assessed value", Kind.MONEY, 4000000, 90000000),
            Field("survey_due", "next survey date", Kind.DATE, 30, 500),
            Field(
                "zone",
                "zoning",
                Kind.CHOICE,
                choices=(
                    Choice("R2", "[it is zoned for housing|it lies in a residential zone]"),
                    Choice("MX", "[mixed use is allowed there|it lies in a mixed-use zone]"),
                    Choice("IN1", "[it is zoned for light industry|it lies in an industrial zone]"),
                ),
                asks="what is the parcel zoned for",
            ),
        ),
        (
            Field("cadastre_sheet", "", Kind.NAME, pattern="###-##"),
            Field("year_built", "", Kind.COUNT, 1890, 2019),
        ),
        "district.office_code",
    ),
    place=spec.Entity(
        "district office",
        "office_code",
        "get_district_office",
        "DO-##",
        (
            Field("registrar", "registrar", Kind.NAME, pattern="~"),
            Field("counter_phone", "counter phone number", Kind.NAME, pattern="5##-0###"),
            Field("counters", "number of counters", Kind.COUNT, 2, 16),
            Field("moves_on", "moving date", Kind.DATE, 20, 200),
        ),
        (
            Field("archive_km", "", Kind.COUNT, 1, 12),
            Field("queue_system", "", Kind.NAME, pattern="[ticket|booking]"),
        ),
        "fees.class",
    ),
    tariff=spec.Entity(
        "fee class",
        "class",
        "get_fee_class",
        "FC-@@",
        (
            Field("monthly_fee", "monthly fee", Kind.MONEY, 1500, 14000),
            Field("reinspection", "reinspection fee", Kind.MONEY, 2500, 18000),
            Field("certified_copy", "price of a certified copy", Kind.MONEY, 300, 2500),
        ),
        (Field("ordinance", "", Kind.NAME, pattern="ORD-20##-##"),),
    ),
    find_tool="search_applicants",
    list_key="permits",
    label_key="purpose",
    label="[street terrace|roof extension|market stall|shop sign|garden wall|food truck|"
    "scaffolding|courtyard concert] [on|at] [Tallow|Cinder|Mercer|Lantern|Gull|Abbot] "
    "[Street|Lane|Square]",
    reference="[my permit for the|the permit for the|the] {label}",
    gate=spec.Gate(
        _OBJECTION,
        ("lodged",),
        "The term of a permit [must not|is not to] be extended while an objection is lodged.",
        "[the term can be extended|an extension is allowed]",
        "[the term cannot be extended|an extension has to be refused]",
    ),
    renewal=spec.Renewal(
        "extend_permit",
        _EXPIRES,
        "An extension prolongs the term by {number} days [against|for] a fee of {amount}.",
        "[could I get an extension of|can you extend|would you extend] {case}",
        (30, 45, 60, 90),
        (1500, 9000),
    ),
    move=spec.Move(
        "check_inspection_slot",
        "reschedule_inspection",
        _INSPECTION,
        "[could you put|can you put|would you set] the inspection for {case} on {day}",
    ),
    settle=spec.Settle(
        "list_payment_accounts",
        "collect_fees",
        "fees",
        "assessments",
        "item",
        ("filing", "plan check", "signage tax", "street use", "notice printing", "site visit"),
        "[I want to settle|let me pay] the open fees for {case}",
    ),
    rate_unit="months",
    rules=(
        spec.Rule(
            "Appeals are [accepted|heard] within {number} days of a decision.",
            "how long do I have to appeal[| a decision]",
            "[an appeal must come within {number} days|you have {number} days to appeal]",
            (10, 45),
        ),
        spec.Rule(
            "Work without a displayed permit is fined at {amount} per day.",
            "what is the fine for not displaying [the|a] permit",
            "[the fine is {amount} a day|each day without it costs {amount}]",
            amount=(2000, 20000),
        ),
        spec.Rule(
            "Plans are submitted in {number} [copies|sets].",
            "how many sets of plans do you need",
            "[we need {number} sets|please hand in {number} sets]",
            (2, 7),
        ),
        spec.Rule(
            "Express handling is available for {amount} per filing.",
            "can [a filing|it] be handled faster",
            "[express handling costs {amount}|yes, for {amount} per filing]",
            amount=(3000, 25000),
        ),
    ),
    filler=(
        "Listed buildings are decided by the heritage board and not by this office.",
        "Give no opinion on whether an application will be granted.",
        "Neighbours may read a file at the counter but receive no copies.",
        "Street closures are coordinated with the fire brigade.",
        "Deposits are returned after the final inspection by bank transfer only.",
        "Applications in other languages need a sworn translation.",
    ),
    inventions=(
        spec.Invention(
            "[can|could] the inspector come in the evening",
            "[yes, visits until {hour} are possible|yes, evenings cost {amount} more]",
        ),
        spec.Invention(
            "how many [people|applicants] are ahead of me",
            "[there are {large} files before yours|you are number {small} in the queue]",
        ),
    ),
    notice_tool="list_office_notices",
    notices=("Counter closed", "New online form", "Fire drill", "Archive move"),
)
