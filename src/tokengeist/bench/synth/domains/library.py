"""A town library: readers, loans, copies, branches, fee schedules."""

from __future__ import annotations

from tokengeist.bench.synth import spec
from tokengeist.bench.synth.spec import Choice, Field, Kind

_DUE = Field(
    "dates.due", "due date", Kind.DATE, 2, 25, asks="when [is it due|does it have to be back]"
)
_COURIER = Field("courier.collection_day", "courier collection day", Kind.DATE, 3, 20)
_REQUESTED = Field(
    "requested_by_other",
    "waiting list status",
    Kind.CHOICE,
    choices=(
        Choice(True, "[another reader is waiting for it|somebody else has asked for it]"),
        Choice(False, "[nobody else is waiting for it|it is not wanted by any other reader]"),
    ),
    asks="[is anyone else waiting for it|has another reader asked for it]",
)

LIBRARY = spec.Domain(
    name="library",
    office="[Harrow Mere|Saltby|Underwick|Linden Vale|Port Ansel] [Public|Town|Free] Library",
    intro="You answer readers' questions about loans, copies and branches, renew loans, move "
    "courier collections and take payments.",
    currency="€",
    person=spec.Entity(
        "reader record",
        "reader_id",
        "get_reader",
        "RD-#####",
        (
            Field("card.valid_until", "expiry date of the card", Kind.DATE, 60, 700),
            Field("card.loan_limit", "loan limit", Kind.COUNT, 6, 24),
            Field(
                "card.category",
                "card category",
                Kind.CHOICE,
                choices=(
                    Choice("concession", "[it is a reduced-fee card|you hold a concession card]"),
                    Choice("full", "[it is an ordinary full card|you hold a full card]"),
                    Choice("scholar", "[it is a research card|you hold a scholar's card]"),
                ),
                asks="what kind of card [do I have|is it]",
            ),
        ),
        (
            Field("preferences.newsletter", "", Kind.CHOICE, choices=(Choice(False, ""),)),
            Field("preferences.reminder_days", "", Kind.COUNT, 1, 5),
            Field("lifetime_loans", "", Kind.COUNT, 20, 900),
        ),
    ),
    case=spec.Entity(
        "loan",
        "loan_id",
        "get_loan",
        "LN@####",
        (
            _DUE,
            _COURIER,
            _REQUESTED,
            Field("dates.issued", "issue date", Kind.DATE, -30, -4),
            Field("renewals_used", "number of renewals used", Kind.COUNT, 1, 5),
            Field(
                "courier.window", "courier time window", Kind.NAME, pattern="[08|09|10]:00-1#:30"
            ),
        ),
        (
            Field("desk", "", Kind.NAME, pattern="self-service-#"),
            Field("reminders_sent", "", Kind.COUNT, 0, 3),
        ),
        "copy.copy_id",
    ),
    item=spec.Entity(
        "copy",
        "copy_id",
        "get_copy",
        "C-####-@",
        (
            Field("shelf_mark", "shelf mark", Kind.NAME, pattern="@@ ###.#"),
            Field("replacement_value", "replacement value", Kind.MONEY, 900, 9500),
            Field("pages", "page count", Kind.COUNT, 96, 880),
            Field(
                "condition",
                "condition",
                Kind.CHOICE,
                choices=(
                    Choice(
                        "spine_repaired", "[its spine has been mended|the binding was repaired]"
                    ),
                    Choice(
                        "water_marks", "[it has some water damage|there are water stains on it]"
                    ),
                    Choice("as_new", "[it is in perfect shape|it is practically new]"),
                ),
                asks="what [state|condition] is the copy in",
            ),
        ),
        (
            Field("edition", "", Kind.COUNT, 1, 9),
            Field("acquired", "", Kind.DATE, -4000, -300),
        ),
        "home.branch_code",
    ),
    place=spec.Entity(
        "branch",
        "branch_code",
        "get_branch",
        "BR##",
        (
            Field("head_librarian", "head librarian", Kind.NAME, pattern="~"),
            Field("desk_phone", "desk phone number", Kind.NAME, pattern="0## ### ####"),
            Field("reading_seats", "number of reading seats", Kind.COUNT, 14, 160),
            Field("closed_for_stocktaking", "stocktaking day", Kind.DATE, 10, 90),
        ),
        (
            Field("floor_area_m2", "", Kind.COUNT, 200, 4000),
            Field("lift", "", Kind.CHOICE, choices=(Choice(True, ""), Choice(False, ""))),
        ),
        "fees.schedule",
    ),
    tariff=spec.Entity(
        "fee schedule",
        "schedule",
        "get_fee_schedule",
        "FS-@#",
        (
            Field("overdue_per_day", "overdue fee per day", Kind.MONEY, 10, 95),
            Field("lost_item_handling", "handling charge for a lost item", Kind.MONEY, 400, 1900),
            Field("cap_per_item", "maximum fee per item", Kind.MONEY, 700, 3000),
        ),
        (Field("effective_from", "", Kind.DATE, -700, -30),),
    ),
    find_tool="find_reader",
    list_key="loans",
    label_key="title",
    label="[The|A|Our|No] [Salt|Glass|Copper|Winter|Hollow|Quiet|Last|Paper|Ninth] "
    "[Road|Harbour|Orchard|Ledger|Choir|Bridge|Garden|Signal|Atlas|Weather]",
    reference="[my loan of “{label}”|the loan of “{label}”|the book “{label}”|“{label}”]",
    gate=spec.Gate(
        _REQUESTED,
        (True,),
        "A loan [may|can] not be renewed [once|while] another reader has requested the title.",
        "[it can be renewed|a renewal is possible]",
        "[it cannot be renewed|a renewal is not possible|I can't renew it]",
    ),
    renewal=spec.Renewal(
        "renew_loan",
        _DUE,
        "[A|Each] renewal moves the due date back by {number} days and costs {amount}.",
        "[could you renew|can you renew|may I renew|is it possible to renew] {case}",
        (7, 10, 14, 21, 28),
        (50, 300),
    ),
    move=spec.Move(
        "quote_collection_change",
        "move_collection",
        _COURIER,
        "[could you move|can you move|would you shift] the courier collection for {case} to {day}",
    ),
    settle=spec.Settle(
        "list_payment_methods",
        "pay_loan_fees",
        "fees",
        "fees",
        "reason",
        ("overdue", "reservation", "damaged cover", "courier", "lost insert", "reminder letter"),
        "[I'd like to pay|please let me settle|I want to clear] the fees on {case}",
    ),
    rate_unit="days overdue",
    rules=(
        spec.Rule(
            "Readers may [borrow|take out] up to {number} [audio books|records] at a time.",
            "how many [audio books|recordings] can I [have|borrow] at once",
            "[the limit is {number} at a time|you may have up to {number} of them out at once]",
            (3, 15),
        ),
        spec.Rule(
            "A lost card is replaced for {amount} [at any branch|at the desk].",
            "what [does it cost|do you charge] to replace a lost card",
            "[a replacement card costs {amount}|there is a charge of {amount} for a new card]",
            amount=(200, 1200),
        ),
        spec.Rule(
            "Reserved titles are kept at the desk for {number} [working|opening] days.",
            "how long [do you keep a reserved book|is a reserved book kept][| at the desk]",
            "[they are held for {number} days|we keep them aside for {number} days]",
            (2, 9),
        ),
        spec.Rule(
            "Interlibrary requests cost {amount} per title and cannot be refunded.",
            "what[ is|'s] the charge for ordering a book from another library",
            "[each title ordered from elsewhere costs {amount}|it comes to {amount} per title]",
            amount=(150, 900),
        ),
    ),
    filler=(
        "Rare prints are for use in the reading room only and are never sent by courier.",
        "Children under twelve need the signature of a guardian for their first card.",
        "Donated books are accepted on the first Saturday of the month.",
        "Do not give out the address or the reading history of one reader to another.",
        "Study cabins are booked at the branch itself and not by this desk.",
        "Printing is charged by the page at the machine.",
    ),
    inventions=(
        spec.Invention(
            "does the [main|big] branch have [a café|somewhere to get coffee]",
            "[yes, there is a café on the {small} floor|yes, the café opens at {hour} every day]",
        ),
        spec.Invention(
            "is there [parking|somewhere to park] near the branch",
            "[there are {large} free spaces behind the building|parking costs {amount} an hour]",
        ),
    ),
    notice_tool="list_branch_notices",
    notices=("Lift out of order", "Reading evening", "Late opening", "Exhibition of maps"),
)
