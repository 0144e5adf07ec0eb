"""A freight yard: shippers, consignments, containers, yards, storage tariffs."""

from __future__ import annotations

from tokengeist.bench.synth import spec
from tokengeist.bench.synth.spec import Choice, Field, Kind

_FREE = Field(
    "storage.free_until", "last free day", Kind.DATE, 1, 12, asks="until when is it stored free"
)
_SLOT = Field("pickup.slot_date", "pickup slot", Kind.DATE, 2, 16, asks="when is the pickup")
_CUSTOMS = Field(
    "customs.status",
    "customs status",
    Kind.CHOICE,
    choices=(
        Choice("held", "[customs is holding it|it is stuck with customs]"),
        Choice("cleared", "[it has cleared customs|customs has released it]"),
        Choice("exempt", "[it needs no clearance|it is exempt from customs]"),
    ),
    asks="[has it cleared customs|where does it stand with customs]",
)

FREIGHT = spec.Domain(
    name="freight",
    office="[Gantry Point|Low Weir|Blackmoor|Easthaven|Millrace] Freight [Yard|Terminal]",
    intro="You serve shippers and hauliers: consignments, containers, pickup slots, storage and "
    "charges.",
    currency="$",
    person=spec.Entity(
        "shipper account",
        "shipper_code",
        "get_shipper",
        "SHP@@##",
        (
            Field("credit.limit", "credit limit", Kind.MONEY, 200000, 4000000),
            Field("credit.used", "credit in use", Kind.MONEY, 10000, 190000),
            Field(
                "credit.rating",
                "credit rating",
                Kind.CHOICE,
                choices=(
                    Choice("prepay", "[you have to pay in advance|the account is prepay only]"),
                    Choice(
                        "net30", "[you have thirty days to pay|invoices are due in thirty days]"
                    ),
                    Choice("net7", "[you have a week to pay|invoices are due within seven days]"),
                ),
                asks="what payment terms do we have",
            ),
        ),
        (
            Field("edi.version", "", Kind.NAME, pattern="D.#6A"),
            Field("customer_since", "", Kind.DATE, -4000, -200),
            Field("moves_per_year", "", Kind.COUNT, 4, 300),
        ),
    ),
    case=spec.Entity(
        "consignment",
        "consignment_no",
        "get_consignment",
        "CN-#####",
        (
            _FREE,
            _SLOT,
            _CUSTOMS,
            Field("arrived_on", "arrival date", Kind.DATE, -12, -1),
            Field("packages", "number of packages", Kind.COUNT, 4, 60),
            Field("pickup.gate", "pickup gate", Kind.NAME, pattern="[North|South|River] #"),
        ),
        (
            Field("manifest.line", "", Kind.COUNT, 1, 90),
            Field("manifest.vessel", "", Kind.NAME, pattern="MV [Petrel|Sable|Corrin]"),
        ),
        "equipment.container_no",
    ),
    item=spec.Entity(
        "container",
        "container_no",
        "get_container",
        "@@@U######",
        (
            Field("gross_kg", "gross weight in kilograms", Kind.COUNT, 2400, 29000),
            Field("declared_value", "declared value", Kind.MONEY, 150000, 9000000),
            Field("next_test", "next test date", Kind.DATE, 40, 900),
            Field("seal", "seal number", Kind.NAME, pattern="SL######"),
            Field(
                "reefer",
                "refrigeration",
                Kind.CHOICE,
                choices=(
                    Choice("running", "[it is being cooled|the refrigeration is running]"),
                    Choice("off", "[the cooling is switched off|it is not being cooled]"),
                    Choice("n/a", "[it is an ordinary dry box|it has no refrigeration unit]"),
                ),
                asks="is the container being cooled",
            ),
        ),
        (
            Field("iso_type", "", Kind.NAME, pattern="[22G1|45R1|42G1]"),
            Field("built", "", Kind.COUNT, 2004, 2023),
        ),
        "position.yard_id",
    ),
    place=spec.Entity(
        "yard",
        "yard_id",
        "get_yard",
        "Y-@#",
        (
            Field("shift_lead", "shift lead", Kind.NAME, pattern="~"),
            Field("radio_channel", "radio channel", Kind.NAME, pattern="VHF-##"),
            Field("cranes", "number of cranes", Kind.COUNT, 1, 9),
            Field("crane_service_on", "crane service date", Kind.DATE, 9, 90),
        ),
        (
            Field("tracks", "", Kind.COUNT, 2, 14),
            Field("floodlit", "", Kind.CHOICE, choices=(Choice(True, ""),)),
        ),
        "charges.tariff_code",
    ),
    tariff=spec.Entity(
        "tariff",
        "tariff_code",
        "get_tariff",
        "T###",
        (
            Field("storage_per_day", "storage charge per day", Kind.MONEY, 900, 7500),
            Field("lift_charge", "charge per lift", Kind.MONEY, 2500, 11000),
            Field("handling_per_package", "handling charge per package", Kind.MONEY, 80, 900),
        ),
        (Field("published", "", Kind.DATE, -380, -15),),
    ),
    find_tool="find_shipper",
    list_key="consignments",
    label_key="goods",
    label="[ceramic tiles|coffee beans|machine tools|paper reels|glass jars|tinned fish|"
    "bicycle frames|garden tools] [from|ex] [Almere|Varna|Koper|Setubal|Gdynia|Bari]",
    reference="[our|the|the shipment of] {label}",
    gate=spec.Gate(
        _CUSTOMS,
        ("held",),
        "Free storage [shall|will] not be extended for goods that customs holds.",
        "[free storage can be extended|more free storage is possible]",
        "[free storage cannot be extended|we can't grant more free storage]",
    ),
    renewal=spec.Renewal(
        "extend_free_storage",
        _FREE,
        "Free storage is extended by {number} days [per request|at a time]; the booking fee is "
        "{amount}.",
        "[could you extend free storage for|can we get more free days for] {case}",
        (2, 3, 4, 5, 7),
        (1000, 6000),
    ),
    move=spec.Move(
        "quote_slot_change",
        "book_pickup_slot",
        _SLOT,
        "[could you shift the pickup of|can we move the pickup of] {case} to {day}",
    ),
    settle=spec.Settle(
        "list_billing_accounts",
        "settle_charges",
        "charges",
        "charges",
        "type",
        ("demurrage", "weighing", "gate entry", "fumigation", "reefer plug", "documentation"),
        "[we'd like to settle|please bill us for] the charges on {case}",
    ),
    rate_unit="days of storage",
    rules=(
        spec.Rule(
            "Trucks [may|can] wait inside the gate for at most {number} minutes.",
            "how long may our truck wait inside",
            "[at most {number} minutes|trucks have to leave after {number} minutes]",
            (20, 90),
        ),
        spec.Rule(
            "A missed slot costs {amount}, [whatever|regardless of] the reason.",
            "what if we miss the slot",
            "[a missed slot is charged at {amount}|that costs {amount}]",
            amount=(4000, 18000),
        ),
        spec.Rule(
            "Dangerous goods are announced {number} hours ahead.",
            "how early must dangerous goods be announced",
            "[{number} hours ahead|we need {number} hours of notice]",
            (24, 96),
        ),
        spec.Rule(
            "Seal replacement is billed at {amount} per seal.",
            "what does a new seal cost",
            "[a new seal is {amount}|each seal is billed at {amount}]",
            amount=(800, 4000),
        ),
    ),
    filler=(
        "Drivers show a photo identity card at every entry.",
        "Never disclose what another shipper keeps in the yard.",
        "Empty boxes are returned swept and without labels.",
        "Photographs inside the fence need a permit from the port authority.",
        "Claims for damage are made in writing on the day of pickup.",
        "In fog or high wind the cranes stand still and slots lapse without charge.",
    ),
    inventions=(
        spec.Invention(
            "is there a [truck wash|place to wash the truck] on site",
            "[yes, next to gate {small}|yes, a wash is {amount}]",
        ),
        spec.Invention(
            "how long is the queue at the gate[| right now]",
            "[about {large} trucks are waiting|roughly {large} minutes at the moment]",
        ),
    ),
    notice_tool="list_yard_notices",
    notices=("Wind warning", "Gate repaving", "New radio rules", "Night shift hiring"),
)
