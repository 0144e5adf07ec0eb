"""A physiotherapy clinic: patients, treatment courses, practitioners, sites, price bands."""

from __future__ import annotations

from tokengeist.bench.synth import spec
from tokengeist.bench.synth.spec import Choice, Field, Kind

_VALID = Field(
    "validity.ends", "end of the referral", Kind.DATE, 5, 40, asks="how long is the referral valid"
)
_SESSION = Field(
    "next_session.day", "next session", Kind.DATE, 3, 21, asks="when is the next session"
)
_REVIEW = Field(
    "review.state",
    "review state",
    Kind.CHOICE,
    choices=(
        Choice("pending", "[the review has not been done yet|the mid-course review is still open]"),
        Choice("signed", "[the review is signed off|the mid-course review has been completed]"),
        Choice("waived", "[no review is needed|the review requirement was dropped]"),
    ),
    asks="has the [mid-course |]review been done",
)

CLINIC = spec.Domain(
    name="clinic",
    office="[Brook Lane|Fennel Street|Old Mill|Quayside|Alder Row] [Physiotherapy|Movement|Back] "
    "[Clinic|Practice]",
    intro="You help patients with treatment courses, sessions and invoices. You give no medical "
    "advice.",
    currency="£",
    person=spec.Entity(
        "patient file",
        "patient_no",
        "get_patient",
        "PT######",
        (
            Field("cover.allowance_left", "remaining allowance", Kind.MONEY, 4000, 90000),
            Field("cover.renews_on", "renewal date of the cover", Kind.DATE, 40, 400),
            Field(
                "cover.plan",
                "cover plan",
                Kind.CHOICE,
                choices=(
                    Choice("self_pay", "[you pay for yourself|there is no insurer involved]"),
                    Choice(
                        "mutual_b", "[you are covered by the mutual fund|the mutual plan B pays]"
                    ),
                    Choice("employer", "[your employer covers you|the company scheme pays]"),
                ),
                asks="who [covers|pays for] my treatment",
            ),
        ),
        (
            Field("registered_on", "", Kind.DATE, -2500, -100),
            Field(
                "consents.photos", "", Kind.CHOICE, choices=(Choice("no", ""), Choice("yes", ""))
            ),
            Field("visits_total", "", Kind.COUNT, 2, 70),
        ),
    ),
    case=spec.Entity(
        "treatment course",
        "course_id",
        "get_course",
        "TC-@@##",
        (
            _VALID,
            _SESSION,
            _REVIEW,
            Field("sessions.prescribed", "number of sessions prescribed", Kind.COUNT, 6, 18),
            Field("sessions.attended", "number of sessions attended", Kind.COUNT, 1, 5),
            Field(
                "next_session.room", "room of the next session", Kind.NAME, pattern="[A|B|C]-#0#"
            ),
        ),
        (
            Field("referral.letter_no", "", Kind.NAME, pattern="RL####"),
            Field("pain_scale_start", "", Kind.COUNT, 3, 9),
        ),
        "assigned.practitioner_id",
    ),
    item=spec.Entity(
        "practitioner",
        "practitioner_id",
        "get_practitioner",
        "PRC-###",
        (
            Field("name", "name", Kind.NAME, pattern="~"),
            Field("session_minutes", "session length in minutes", Kind.COUNT, 20, 60),
            Field("away_from", "first day of leave", Kind.DATE, 12, 80),
            Field(
                "languages",
                "working language",
                Kind.CHOICE,
                choices=(
                    Choice("en+pl", "[English and Polish are both fine|Polish is spoken too]"),
                    Choice(
                        "en+pt", "[English and Portuguese are both fine|Portuguese is spoken too]"
                    ),
                    Choice("en", "[English is the only language offered|only English is spoken]"),
                ),
                asks="which languages does the practitioner speak",
            ),
        ),
        (
            Field("licence", "", Kind.NAME, pattern="HP-####-@"),
            Field("caseload", "", Kind.COUNT, 10, 60),
        ),
        "base.site_code",
    ),
    place=spec.Entity(
        "site",
        "site_code",
        "get_site",
        "S-@@@",
        (
            Field("reception_phone", "reception phone number", Kind.NAME, pattern="07## ######"),
            Field("site_lead", "site lead", Kind.NAME, pattern="~"),
            Field("treatment_rooms", "number of treatment rooms", Kind.COUNT, 3, 19),
            Field("pool_reopens", "reopening date of the pool", Kind.DATE, 8, 120),
        ),
        (
            Field("step_free", "", Kind.CHOICE, choices=(Choice(True, ""),)),
            Field("bus_lines", "", Kind.COUNT, 1, 6),
        ),
        "billing.band",
    ),
    tariff=spec.Entity(
        "price band",
        "band",
        "get_price_band",
        "BAND-#@",
        (
            Field("session_fee", "fee per session", Kind.MONEY, 2800, 9600),
            Field("first_assessment", "price of a first assessment", Kind.MONEY, 4000, 12000),
            Field("missed_session", "charge for a missed session", Kind.MONEY, 1000, 4500),
        ),
        (Field("valid_since", "", Kind.DATE, -500, -20),),
    ),
    find_tool="search_patients",
    list_key="courses",
    label_key="complaint",
    label="[left|right] [knee|shoulder|ankle|wrist|hip|elbow|heel] "
    "[rehabilitation|mobility|strengthening|pain|recovery|stiffness]",
    reference="[my course for|the treatment of|the course for] {label}",
    gate=spec.Gate(
        _REVIEW,
        ("pending",),
        "A referral is [only extended|extended only] after the mid-course review is signed or "
        "waived.",
        "[the referral can be extended|we can extend it]",
        "[the referral cannot be extended yet|an extension is not possible for now]",
    ),
    renewal=spec.Renewal(
        "extend_referral",
        _VALID,
        "An extension adds {number} days to the referral; the [paperwork fee|admin fee] is "
        "{amount}.",
        "[can you extend the referral for|could I get a longer referral for] {case}",
        (14, 20, 30, 42, 60),
        (500, 2500),
    ),
    move=spec.Move(
        "check_session_change",
        "move_session",
        _SESSION,
        "[can we move|could you move|is it possible to shift] the next session of {case} to {day}",
    ),
    settle=spec.Settle(
        "get_payment_options",
        "pay_invoice",
        "invoice items",
        "invoice_lines",
        "for",
        ("assessment", "taping", "session", "exercise bands", "pool entry", "late cancellation"),
        "[I want to pay what is open on|I'd like to settle the invoice for] {case}",
    ),
    rate_unit="sessions",
    rules=(
        spec.Rule(
            "Sessions can be cancelled free of charge up to {number} hours [before|ahead].",
            "how late can I cancel[| a session] without paying",
            "[up to {number} hours ahead it is free|you can cancel free until {number} hours "
            "before]",
            (12, 72),
        ),
        spec.Rule(
            "Copies of a patient's file are provided for {amount}.",
            "what do you charge for a copy of my file",
            "[a copy of the file costs {amount}|we charge {amount} for that copy]",
            amount=(300, 2400),
        ),
        spec.Rule(
            "Patients [arriving|who arrive] more than {number} minutes late lose the session.",
            "what happens if I [am|turn up] late",
            "[after {number} minutes the session is lost|beyond {number} minutes it counts as "
            "missed]",
            (8, 20),
        ),
        spec.Rule(
            "Rented equipment requires a deposit of {amount}.",
            "is there a deposit on rented equipment",
            "[yes, the deposit is {amount}|yes, {amount} is taken as a deposit]",
            amount=(1500, 9000),
        ),
    ),
    filler=(
        "Questions about symptoms, dosage or exercises go to the practitioner, never to this desk.",
        "Minors are treated only in the presence of a parent or guardian.",
        "Letters to insurers are written by the site lead and take about a week.",
        "Never mention one patient's appointments to another patient.",
        "Group classes are listed on the noticeboard and cannot be booked here.",
        "Home visits exist only for patients who cannot travel.",
    ),
    inventions=(
        spec.Invention(
            "[are there|do you have] lockers [there|at the site]",
            "[yes, there are {large} lockers by the entrance|yes, lockers cost {amount} per visit]",
        ),
        spec.Invention(
            "does the practitioner [also |]do acupuncture",
            "[yes, on {weekday} mornings|yes, with {small} years of training in it]",
        ),
    ),
    notice_tool="list_site_bulletins",
    notices=("Pool maintenance", "Flu season masks", "New reception hours", "Car park resurfacing"),
)
