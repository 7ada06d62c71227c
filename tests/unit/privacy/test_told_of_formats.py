"""Logs, markup, tables, minutes and journeys: what their forms say is nobody's stays, and whom they name is hidden."""

import pytest

from gama.privacy.anonymizer import Anonymizer

GDP = """country,pop_2013_m,pop_2023_m,gdp_pc_usd_2023
Nigeria,171.8,227.9,1597
Ethiopia,95.4,128.7,1272
Germany,80.6,83.3,54343
Japan,127.4,124.5,33767
Poland,38.0,36.7,22057

Which two shrank?"""
PHONES = """| | Framework 13 | Dell XPS 13 9345 |
|---|---|---|
| CPU | Ryzen 7 7840U | Snapdragon X Elite |
| kg | 1.30 | 1.19 |
| EUR | 1,579 | 1,399 |

Which one for Linux? Ask Petra Lindqvist, 0171 5550 142."""
ACCOUNT = """Buchung;Text;Verwendungszweck;Betrag
03.03.;KARTENZAHLUNG;EDEKA Neukauf;-64,17
07.03.;KARTENZAHLUNG;REWE SAGT DANKE;-41,92
14.03.;LASTSCHRIFT;Vodafone GmbH Kd-Nr. 118402773;-39,99
21.03.;ÜBERWEISUNG;Hinrich Saathoff Miete;-870,00

Was gebe ich für Lebensmittel aus?"""

COUNTIES = """county,labour_force,unemployed,rate_pct
Clay,112480,3712,3.3
Jackson,18260,694,3.8
Madison,8105,357,4.4
Taylor,8870,364,4.1

Why is the average of the rates not the rate of all?"""
STATEMENT = """Sort these into groups and total each.

02 Sep  S/O  THESSALY QUORNBECK  REF FLAT 3 SEPT RENT          -845.00
03 Sep  CARD NETFLIX.COM                                -10.99
04 Sep  CARD LIDL GB LEWISHAM                           -38.17
09 Sep  CARD SPOTIFY P2B81C                             -11.99
15 Sep  CARD LIDL GB LEWISHAM                           -51.03"""


@pytest.fixture(scope="module")
def anonymizer() -> Anonymizer:
    return Anonymizer()


@pytest.mark.parametrize(
    ("text", "stays", "goes"),
    [
        (GDP, ["Nigeria", "Germany", "54343", "33767"], []),
        (COUNTIES, ["Clay", "Jackson", "Madison", "Taylor"], []),
        (STATEMENT, ["CARD NETFLIX", "SPOTIFY", "-51.03", "-845.00"], ["QUORNBECK"]),
        (PHONES, ["Snapdragon X Elite", "1.19", "1,399"], ["Lindqvist", "5550"]),
        (ACCOUNT, ["EDEKA", "REWE", "KARTENZAHLUNG", "Vodafone"], ["118402773", "Saathoff"]),
        (
            'Why 502?\n10.4.7.9 - - [12/Mar/2025:08:14:02 +0000] "POST /send HTTP/1.1" 502 157 "-"\n'
            '10.4.7.9 - - [12/Mar/2025:08:14:09 +0000] "POST /send HTTP/1.1" 502 157 "-"\n',
            ["502 157"],
            ["10.4.7.9"],
        ),
        (
            "Was I hacked? nas sudo: tobiasr : TTY=pts/0 ; PWD=/home/tobiasr/x ; USER=root ; "
            "COMMAND=/usr/bin/apt install xmrig",
            ["xmrig", "PWD=/home/"],
            ["tobiasr"],
        ),
        (
            "Why is this invalid?\n<Podmiot1><DaneIdentyfikacyjne><Nazwa>Bogumił Rzepka</Nazwa></DaneIdentyfikacyjne>"
            "</Podmiot1>",
            ["<DaneIdentyfikacyjne>", "</Nazwa>"],
            ["Bogumił", "Rzepka"],
        ),
        (
            "Find a slot. Required: Priyanka Venkataraman (Asia/Kolkata); Sean O'Dowd (America/Chicago); Tama Ngata "
            "(Pacific/Auckland)",
            ["Asia/Kolkata", "America/Chicago", "Pacific/Auckland"],
            ["Priyanka", "O'Dowd", "Ngata"],
        ),
        ("Are we hit by CVE-2024-3094, and does KB5044284 break VPN?", ["CVE-2024-3094", "KB5044284"], []),
        (
            "Rank them: 1) Anneliese Vogt, Snowflake 5y, dbt, Kafka; 2) Geeta Raman, BigQuery, Airflow, Snowflake 1y",
            ["Snowflake", "Kafka", "BigQuery", "Airflow"],
            ["Vogt", "Raman"],
        ),
        (
            "Summarise. JM 22/01: caller vague on 2nd call\nRTW 30/01: engineer says so, JM agrees\nMB 03/02: rang witness",
            ["22/01", "engineer"],
            ["JM", "RTW", "MB "],
        ),
        (
            "Write the minutes.\nPres: RGH (chair), Oyelaran, Siobhán\nRGH opened. ACT JdC library by 4 Oct. AOB none.",
            ["(chair)", "AOB"],
            ["RGH", "JdC", "Oyelaran", "Siobhán"],
        ),
        ("Sum up: WT replies on 2 May. OB not yet spoken to, NS does not want it.", ["2 May"], ["WT", "OB", "NS"]),
        ("Draft a plan. Pt TR, 29, day 19 on the ward. TR declined depot.", ["declined"], ["TR"]),
        ("Is this right? husb Len d. Nov, dtr Jo rings daily, NOK: Ama Osei", ["daily"], ["Len ", "Jo ", "Ama"]),
        ("Who pays? VW Golf (BX21 LOU) hit a Kia (FY66 TDK).", [], ["BX21 LOU", "FY66 TDK"]),
        ("#INC0048827 laptop dead, CAD 1184 of 17/05, faktura FV/19/03/2025. Sum up.", [], ["48827", "1184", "FV/19"]),
        (
            "Write me an EU261 letter. It was FR 2471 Bergamo to Kraków on 19 July, 3 h late. Passenger Ilse Brandt of Leeds.",
            ["FR 2471", "Bergamo to Kraków", "19 July"],
            ["Brandt"],
        ),
        ("I'm on H-1B, I-140 approved, wife Snehal is H4 EAD. Does she stop work?", ["H-1B", "I-140", "H4 EAD"], ["Snehal"]),
        (
            "Need: 1) which law covers her 2) deadline.\nCaller Marisol Quiñones told the owner on 2/6, asked on 2/10.",
            ["2/6", "2/10"],
            ["Marisol"],
        ),
    ],
)  # fmt: skip
def test_what_stays_and_what_goes(anonymizer, text, stays, goes):
    told = anonymizer.anonymize(text).text
    assert [one for one in stays if one not in told] == [], told
    assert [one for one in goes if one in told] == [], told


LETTER = """Dear Ms Holm,

your tenancy began on 2 May 2023 at a rent of £875 a month. We require possession after 17 December 2024.

Yours sincerely,
Odile Ferrand"""


@pytest.mark.parametrize(
    "text",
    [f"Is this notice long enough under section 21?\n\n{LETTER}", f"{LETTER}\n\nIs that notice long enough under section 21?"],
)  # fmt: skip
def test_what_is_asked_of_a_letter_keeps_its_days_and_sums(anonymizer, text):
    told = anonymizer.anonymize(text).text
    assert all(one in told for one in ("2 May 2023", "£875", "17 December 2024")), told
    assert "Holm" not in told and "Ferrand" not in told
    assert "£875" not in anonymizer.anonymize(LETTER + "\n").text, "a letter that nothing is asked about"


def test_a_question_inside_a_letter_is_the_letters(anonymizer):
    told = anonymizer.anonymize(LETTER.replace("We require", "Could you pay £300 by 3 March? We require")).text
    assert "£300" not in told and "3 March" not in told, told


def test_a_job_stays_where_it_is_asked_about(anonymizer):
    told = anonymizer.anonymize("Write a cover letter. I'm Ana Lopes, charge nurse since 2022, for St Mary's ICU.").text
    assert "charge nurse" in told and "Lopes" not in told


def test_where_one_has_moved_to_is_no_journey(anonymizer):
    told = anonymizer.anonymize("We moved from Bergamo to Leeds in May, me and Ilse Brandt. Which taxes do I pay?").text
    assert "Bergamo" not in told and "Leeds" not in told


def test_a_month_that_somebody_is_called_by_goes(anonymizer):
    told = anonymizer.anonymize("Plan a day out in May for me and April Sun, she is a friend. What can we do?").text
    assert "in May" in told and "April Sun" not in told


def test_who_is_hidden_in_one_case_is_so_in_all(anonymizer):
    text = "Wujek Leszek nie przyszedł, bo jest po zawale. Nie mów Leszkowi o tym, proszę. Ściskam, Zosia Wróbel"
    told = anonymizer.anonymize(text).text
    assert "Leszek" not in told and "Leszkowi" not in told, told
    told = anonymizer.anonymize("sum up\nsorcha m: who pays\naoife: me\nsorcha u paying that?\nsorcha m: no").text
    assert "sorcha" not in told, told
