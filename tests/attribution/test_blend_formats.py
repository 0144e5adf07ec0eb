"""The blend backend where tools do not answer in plain JSON, or the agent is of another kind."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from tests.attribution.conversations import Script, explain, quoted, sources, unit
from tests.strategies import texts
from tokengeist.attribution.blend.cues import is_reading
from tokengeist.attribution.blend.layouts import lay_out
from tokengeist.attribution.protocol import Verdict
from tokengeist.transcript import Role, ToolCall

PARCELS = [
    {"parcel": "PX-4410", "status": "held at customs", "weight": 12.4, "eta": "2031-06-09"},
    {"parcel": "PX-4418", "status": "in transit", "weight": 3.9, "eta": "2031-06-12"},
]
HELD_TWICE = json.dumps({"result": json.dumps(PARCELS)})
PAIRS = """Parcel: PX-4410
Status: held at customs
Weight: 12.4
ETA: 2031-06-09

Parcel: PX-4418
Status: in transit
Weight: 3.9
ETA: 2031-06-12"""
MARKDOWN = """Here is what I found.

- **Parcel:** PX-4410
- **Status:** held at customs
- **Weight:** 12.4
- **ETA:** 2031-06-09

- **Parcel:** PX-4418
- **Status:** in transit
- **Weight:** 3.9
- **ETA:** 2031-06-12"""
TABLE = """| parcel | status | weight | eta |
|---|---|---:|---|
| PX-4410 | held at customs | 12.4 | 2031-06-09 |
| PX-4418 | in transit | 3.9 | 2031-06-12 |"""
CSV = """parcel,status,weight,eta
PX-4410,held at customs,12.4,2031-06-09
PX-4418,in transit,3.9,2031-06-12"""
MARKUP = """<parcels><parcel id="PX-4410"><status>held at customs</status><weight>12.4</weight>
<eta>2031-06-09</eta></parcel><parcel id="PX-4418"><status>in transit</status>
<weight>3.9</weight><eta>2031-06-12</eta></parcel></parcels>"""
FENCED = f"Found 2 parcels:\n```json\n{json.dumps(PARCELS, indent=1)}\n```\nEnd of list."
REPR = str(PARCELS)
PROSE = """Parcel PX-4410 is held at customs. It weighs 12.4 and should arrive on 2031-06-09.
Parcel PX-4418 is in transit. It weighs 3.9 and should arrive on 2031-06-12."""

FORMS = {
    "json": json.dumps(PARCELS),
    "json in a string": HELD_TWICE,
    "python": REPR,
    "fenced": FENCED,
    "pairs": PAIRS,
    "markdown": MARKDOWN,
    "table": TABLE,
    "csv": CSV,
    "markup": MARKUP,
    "prose": PROSE,
}


def parcels(result: str) -> Script:
    """0 user, 1–2 parcels, 3 reply, 4 user, 5–6 history, 7 reply."""
    return (
        Script()
        .user("Where are my parcels? My customer number is CU-7781.")
        .calls("list_parcels", result, customer="CU-7781")
        .says("One is held at customs. PX-4418 weighs 3.9 and arrives on June 12.")
        .user("What happened to the one at customs?")
        .calls("get_history", '{"events": ["duty unpaid"]}', parcel="PX-4410")
        .says("The duty for it has not been paid.")
    )


@pytest.mark.parametrize("result", FORMS.values(), ids=FORMS)
def test_sources_are_the_same_in_every_form(result: str) -> None:
    script = parcels(result)
    assert sources(script, "held at customs", turn=3) == {2}
    assert sources(script, "PX-4418 weighs 3.9") == {2}
    assert sources(script, "CU-7781", turn=1) == {0}
    assert sources(script, "PX-4410", turn=5) == {2, 4}


@pytest.mark.parametrize("result", FORMS.values(), ids=FORMS)
def test_evidence_is_short_in_every_form(result: str) -> None:
    (evidence,) = quoted(parcels(result), "arrives on June 12", 2)
    assert "2031-06-12" in evidence
    assert "customs" not in evidence
    assert len(evidence) < 100


@pytest.mark.parametrize("result", [v for k, v in FORMS.items() if k != "prose"])
def test_another_value_under_a_name_is_wrong_in_every_form(result: str) -> None:
    script = Script().user("How heavy is PX-4418?").calls("list_parcels", result)
    found = unit(script.says("Its weight is 5.27."), "Its weight is 5.27", "5.27")
    assert (found.verdict, found.note) == (Verdict.UNSUPPORTED, "wrong-value transformation")
    assert found.sources[0][0] == 2


def test_pairs_that_share_a_line_are_fields_of_one_record() -> None:
    text = "Order W-1\nStatus: open | Total: $5\nCarrier = Tern"
    layout = lay_out(text)
    assert [(f.key, text[f.value_start : f.end], f.record) for f in layout.fields] == [
        ("Status", "open", 0),
        ("Total", "$5", 0),
        ("Carrier", "Tern", 0),
    ]
    assert [text[start:end] for start, end in layout.prose] == ["Order W-1"]


def test_columns_under_a_head_are_a_table() -> None:
    text = "NAME    READY  STATE\nweb-1   1/1    up\ndb-0    0/1    down\n\nTwo in all."
    layout = lay_out(text)
    assert [(f.key, text[f.start : f.end]) for f in layout.fields if f.record == 1] == [
        ("NAME", "db-0"),
        ("READY", "0/1"),
        ("STATE", "down"),
    ]
    assert [text[start:end] for start, end in layout.prose] == ["Two in all."]


def test_a_sentence_with_a_colon_is_prose() -> None:
    text = "Error: the order has left the house and cannot be changed"
    assert lay_out(text).fields == []


@given(texts)
def test_any_text_has_a_layout_within_itself(text: str) -> None:
    layout = lay_out(text)
    for f in layout.fields:
        assert 0 <= f.start <= f.value_start < f.end <= len(text)
        assert -1 <= f.record < len(layout.records)
    for start, end in layout.prose:
        assert 0 <= start < end <= len(text)


def test_a_shell_agents_reading_rests_on_what_it_read() -> None:
    script = (
        Script()
        .user("Tests fail in the invoice module since yesterday. Please find out why.")
        .calls("bash", "src/billing/invoice.py\nsrc/billing/rates.py", command="ls src/billing/*")
        .calls(
            "bash",
            "14: def total(lines):\n15:     return sum(line.net for line in lines) * 1.07\n",
            command="cat -n src/billing/invoice.py",
        )
        .says("The rate is fixed at 1.07 in src/billing/invoice.py, line 15.")
    )
    assert 2 in sources(script, "src/billing/invoice.py", turn=3)
    assert sources(script, "The rate is fixed at 1.07") == {4}


@pytest.mark.parametrize(
    ("tool", "arguments", "reads"),
    [
        ("bash", '{"command": "cd /srv && grep -rn total ."}', True),
        ("bash", '{"command": "sed -i s/a/b/ notes.txt"}', False),
        ("bash", '{"command": "cat notes.txt > copy.txt"}', False),
        ("bash", '{"command": "python -m pytest 2>&1 | tail"}', True),
        ("execute_sql", '{"query": "SELECT name FROM boats"}', True),
        ("execute_sql", '{"query": "SELECT name\\nFROM boats\\nWHERE length > 12"}', True),
        ("execute_sql", '{"query": "SELECT name FROM boats; DELETE FROM boats"}', False),
        ("execute_sql", '{"query": "DELETE FROM boats"}', False),
        ("open_page", '{"id": 4}', True),
        ("open_invoices", "{}", True),
        ("open_claim", "{}", False),
        ("router_log", "{}", True),
        ("str_replace_editor", '{"command": "view", "path": "a.py"}', True),
        ("web_search", "{}", True),
        ("order_refund", "{}", False),
        ("kubectl", '{"cmd": "kubectl get pods | grep web"}', True),
        ("kubectl", '{"cmd": "kubectl delete pod web-1"}', False),
        ("note_add", "{}", False),
        ("update_status", "{}", False),
        ("join_waiting_list", "{}", False),
        ("client_record", "{}", True),
        ("get_update", "{}", True),
        ("timetable", "{}", True),
        ("correct_bill", "{}", False),
        ("waive_fee", "{}", False),
        ("dispute_status", "{}", True),
        ("table_book", "{}", False),
        ("order_get", "{}", True),
        ("leave_balance", "{}", True),
        ("crm_add_line", "{}", False),
        ("crm_get_order", "{}", True),
        ("estimate_refund", "{}", True),
        ("http", '{"method": "PATCH", "path": "/boats/4"}', False),
        ("http", '{"method": "GET", "path": "/boats/4"}', True),
    ],
)
def test_whether_a_call_only_reads(tool: str, arguments: str, reads: bool) -> None:
    assert is_reading(tool, arguments) is reads


def test_calls_made_at_once_rest_on_their_own_arguments() -> None:
    script = Script().user("Compare the parcels PX-4410 and PX-4418, please.")
    calls = tuple(
        ToolCall("get_parcel", json.dumps({"parcel": p["parcel"]}), f"c{n}")
        for n, p in enumerate(PARCELS)
    )
    script._add(Role.ASSISTANT, "", calls=calls)
    for number, parcel in enumerate(PARCELS):
        script._add(Role.TOOL, json.dumps(parcel), call_id=f"c{number}")
    script.says("PX-4410 weighs 12.4, PX-4418 arrives on June 12.")
    assert sources(script, "PX-4410 weighs 12.4") - {0} == {2}  # the user named both
    assert sources(script, "PX-4418 arrives on June 12") - {0} == {3}


def test_other_languages_are_followed_by_their_figures_and_words() -> None:
    german = (
        Script()
        .user("Guten Tag, was kostet die Reparatur von Auftrag RA-5520?")
        .calls("get_auftrag", {"auftrag": "RA-5520", "betrag": 1234.5, "fertig": "2031-05-24"})
        .says("Die Reparatur kostet 1.234,50 € und ist am 24.05.2031 fertig.")
    )
    assert sources(german, "1.234,50 €") == {2}
    assert sources(german, "am 24.05.2031 fertig") == {2}
    chinese = (
        Script()
        .user("你好，我的订单什么时候送到？")
        .calls("get_order", {"状态": "运输途中", "城市": "上海"}, order="first")
        .says("您的订单正在运输途中。")
    )
    assert 2 in sources(chinese, "运输途中")


def test_a_transcript_without_rules_or_results_is_explained_by_the_user() -> None:
    script = Script().user("My boat is called Petrel and has 7 berths.")
    script.says("Noted: Petrel, with 7 berths.")
    assert sources(script, "Petrel, with 7 berths") == {0}
    assert explain(script, "Petrel, with 7 berths").units


def test_two_columns_are_a_table_and_rows_of_fields_name_their_own() -> None:
    text = "month,kwh\n2031-02,310\n2031-03,285"
    assert [(f.key, text[f.value_start : f.end]) for f in lay_out(text).fields] == [
        ("month", "2031-02"),
        ("kwh", "310"),
        ("month", "2031-03"),
        ("kwh", "285"),
    ]
    text = "field,value\ntariff,Basic\nbalance,84.15"
    assert [(f.key, text[f.value_start : f.end]) for f in lay_out(text).fields] == [
        ("tariff", "Basic"),
        ("balance", "84.15"),
    ]


def test_an_element_with_attributes_and_text_is_a_field() -> None:
    text = '<policy no="P-1"><excess currency="DKK">2500</excess></policy>'
    found = [(f.key, text[f.value_start : f.end]) for f in lay_out(text).fields]
    assert found == [("no", '"P-1"'), ("currency", '"DKK"'), ("excess", "2500")]


def test_a_statement_quotes_the_row_of_a_table_and_a_call_its_id_and_the_next_cell() -> None:
    script = (
        Script()
        .user("Which parcel is the light one? Open it.")
        .calls("list_parcels", TABLE)
        .says("The one that weighs 3.9.")
        .calls("open_parcel", "ok", parcel="PX-4418")
    )
    assert quoted(script, "weighs 3.9", 2) == ["| PX-4418 | in transit | 3.9 | 2031-06-12 |"]
    assert quoted(script, '"parcel": "PX-4418"', 2) == ["PX-4418 | in transit"]
