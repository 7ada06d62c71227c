"""What questions turn on in other scripts and in long pastes stays, and whoever is hidden is hidden in all forms."""

import pytest

from gama.privacy.anonymizer import Anonymizer

PAY = """Compute the tax of each, workings in a table.

S/N,Name,TIN,Gross,Basic,Housing
1,Ngozi Adeyinka-Bassey,2207714311,2400000,1200000,600000
2,Tari Briggs,1984406698,1500000,750000,375000
3,Blessing Edet,2330198812,960000,480000,240000"""
CRICKET = """averages please, blank if never out

A,B,C,D,E
Player,Mob,Inns,Runs,HS
Dougal Whitlam,0427 118 553,11,304,67*
Prue Hartigan,0418 222 190,9,120,33
Asha Nair,0429 100 778,4,55,20*"""
BILL = """Check the totals please.

Item                                   Amount
Hire car 19 days @ $62                 $1,178.00
Assessor fee (external, R. Dhillon)    $297.00
Corolla salvage                        -$350.00
Physio L. Tupou 3 x $95                $285.00"""
FHIR = """Why is this bundle refused?
{"resourceType": "Patient", "name": {"text": "Maud Berthelot"},
 "identifier": [{"type": {"text": "IPP"}, "value": "8009274411"}],
 "contact": [{"relationship": [{"text": "conjoint"}], "name": {"text": "Luc Berthelot"}},
 {"relationship": [{"text": "parent"}], "name": {"text": "Gil Ferrand"}}]}"""


@pytest.fixture(scope="module")
def anonymizer() -> Anonymizer:
    return Anonymizer()


@pytest.mark.parametrize(
    ("text", "stays", "goes"),
    [
        ("薬について教えてください。父(小山 徹)はメトホルミン500mgとアムロジピン5mgを飲んでいます。", ["メトホルミン500mg", "アムロジピン5mg"], ["小山", "徹"]),
        ("약 같이 먹어도 되는지 알려주세요. 어머니(김말순)는 와파린 2mg, 아스피린 100mg 드세요.", ["와파린 2mg", "아스피린 100mg"], ["김말순"]),
        ("帮我写封投诉信:我叫李国强,上个月房租3200元,押金一直没退。", ["3200元", "上个月"], ["李国强"]),
        ("Перепиши официально: 12 марта 2025 г. Пётр Зарипов заплатил 4 300 рублей за воду, ответа нет третью неделю.", ["12 марта 2025", "4 300 рублей", "третью неделю"], ["Зарипов"]),
        ("Допоможіть скласти заяву: я, Соломія Гнатишин, переплатила 4 316,20 грн у березні.", ["4 316,20 грн"], ["Гнатишин"]),
        ("Γράψε μου μια αίτηση: η Ελένη Κουτσογιάννη πλήρωσε 420 ευρώ τον Μάρτιο.", ["420 ευρώ"], ["Κουτσογιάννη"]),
        ("اكتب لي شكوى رسمية: الاسم رأفت جرجس، الفاتورة كانت 420 جنيه وبقت 1350 جنيه من يناير.", ["420 جنيه", "1350 جنيه"], ["رأفت"]),
        ("תנסח לי בבקשה מכתב: שמי יעל מרציאנו, השכירות עלתה מ-3200 ל-4100 שקל ביום חמישי.", ["3200", "4100"], ["מרציאנו"]),
        ("कृपया आवेदन लिखिए: रामसकल निषाद की किस्त ₹40,000 आठ महीने से नहीं आई।", ["₹40,000", "आठ महीने"], ["रामसकल"]),
        ("ช่วยร่างจดหมายให้หน่อยค่ะ ค่าเช่า 4,500 บาท ค้างสองเดือน โทร 081-234-5678", ["4,500 บาท"], ["081-234-5678"]),
        ("bana plan çıkar: Ece Yıldız ile 9.000 TL bütçe, cuma günü yola çıkıyoruz", ["9.000 TL", "cuma"], ["Yıldız"]),
    ],
)  # fmt: skip
def test_what_is_asked_about_stays_in_any_script(anonymizer, text, stays, goes):
    told = anonymizer.anonymize(text).text
    assert [one for one in stays if one not in told] == [] == [one for one in goes if one in told], told


def test_an_illness_that_may_be_a_name_is_hidden_in_other_scripts():
    from gama.privacy.medicine import is_illness_abroad

    assert is_illness_abroad("הריון בסיכון") and is_illness_abroad("Гипертония") and not is_illness_abroad("מרים")


@pytest.mark.parametrize(
    ("text", "stays", "goes"),
    [
        (PAY, ["2400000", "1200000", "240000"], ["Ngozi", "2207714311", "Edet"]),
        (CRICKET, ["Player,Mob,Inns,Runs,HS", "67*", "304"], ["Whitlam", "0427 118 553", "Nair"]),
        (BILL, ["$1,178.00", "Corolla salvage", "-$350.00"], ["Dhillon", "Tupou"]),
        (FHIR, ["conjoint", "parent", "IPP"], ["Berthelot", "Ferrand", "8009274411"]),
        (
            "Which index helps?\nSELECT c.id FROM claims c JOIN p ON p.id = c.p_id WHERE p.full_name ILIKE 'Venkatesan%'\n"
            "  AND p.dob = '1963-12-08' AND c.created_at > '2024-01-01' ORDER BY c.created_at DESC LIMIT 20;",
            ["ILIKE", "2024-01-01", "ORDER BY c.created_at DESC"],
            ["Venkatesan", "1963-12-08"],
        ),
        (
            "Check this for the parents, Amara Sesay is 9:8.\n\nIndex\tSS\t95% CI\nVCI\t115\t107-123\nWMI\t82\t76-91\nPSI\t77\t71-88\n",
            ["107-123", "76-91", "71-88"],
            ["Sesay"],
        ),
        (
            "Turn these into report comments:\n1. Lwazi Cele – maths 71, english 64\n2. Thando Nkosi – maths 58/62",
            ["maths 71", "english 64", "58/62"],
            ["Cele", "Nkosi"],
        ),
        ("aita? me (31f) and my ex want joy (9f) for the summer, ravi (34m) says no. shorter please", ["31f"], ["ravi"]),
        (
            "is DIN 912 or GM 12499225 right? P0300 P0307 on Beth Ansah's Škoda Octavia III, Hilti 2077174 drill",
            ["GM 12499225", "P0300 P0307", "Škoda Octavia III", "Hilti 2077174"],
            ["Ansah"],
        ),
        (
            "csv, sort by kg, output only csv\nnick,kg,date\ndeniz,71.4,03-02\numut,88.0,03-02\nlark,59.9,03-05\nmose,60.1,03-05",
            ["nick,kg,date", "71.4"],
            ["umut", "lark", "mose"],
        ),
        (
            "Hvem rykker ned? Spørg Signe Bramsen.\n\nHold             K   V   U   T   Mål     Point\n"
            "Randers FC       19  8   5   6   32-25   29\nViborg FF        19  7   6   6   31-27   27\n"
            "Silkeborg IF     19  6   7   6   28-30   25\nBrøndby IF       19  5   6   8   29-32   21\n",
            ["Randers FC", "Viborg FF", "Brøndby IF", "32-25"],
            ["Bramsen"],
        ),
        (
            "Pt Zoltan Ferency 71M. A&Ox2. Foley in situ, Braden 14, Morse 75, levo 500 bd D6, Zosyn 4.5g, Jackson-Pratt R knee, "
            "CrCl 38 by Cockcroft-Gault. Handover please, SBAR.",
            ["Foley", "Morse 75", "500 bd D6", "Zosyn", "Jackson-Pratt", "Cockcroft-Gault", "SBAR"],
            ["Ferency"],
        ),
        ("group my todo by context: call mum @phone, ask Sidra Malik abt the boiler @home", ["@phone", "@home"], ["Sidra"]),
        ("Plan a week in Japan: SQ618 SIN-KIX, Hotel Granvia Kyoto, me and Kai Ling Tan", ["SQ618 SIN-KIX"], ["Kai Ling"]),
    ],
)  # fmt: skip
def test_tables_codes_and_marks_that_are_asked_about_stay(anonymizer, text, stays, goes):
    told = anonymizer.anonymize(text).text
    assert [one for one in stays if one not in told] == [] == [one for one in goes if one in told], told


def test_what_is_pasted_may_be_long(anonymizer):
    days = "\n".join(
        f"{n:02}/03/2025 note {n}: BP 1{n}0/80, metoprolol {n} mg, walked {n} min with the nurse." for n in range(1, 29)
    )
    text = f"Check the interactions in this chart of Wilma Okonjo-Bates, please.\n\n{days}\n{'Slept well. ' * 400}"
    told = anonymizer.anonymize(text).text
    assert "metoprolol 12 mg" in told and "12/03/2025" in told and "Okonjo" not in told
    assert len(text) > 4_000


@pytest.mark.parametrize(
    ("text", "stays", "goes"),
    [
        ("Notes.\nWitness Nadia Kaplan lives opposite.\nNK was walking her dog. The EU and the NHS know.", ["EU", "NHS"], ["NK"]),
        ("sum up\nRens Dijkgraaf: VPN stuk\nPia: hi rens! screenshot?", [], ["rens", "Dijkgraaf"]),
        ("who pays?\nThandeka Mabaso: me\nfiles: /srv/pay_for_thandeka, thandekas-nas.local #TeamThandekaMabaso", [], ["thandeka", "Thandeka"]),
        ("draft it: old Wilf Braithwaite and the Braithwaites next door want the gate shut", [], ["Braithwaite"]),
        ("3 bullets\nyuto: done with login\nSky: sync is flaky, nothing but blue sky otherwise\nme: ok", ["blue sky"], ["yuto", "Sky"]),
        ("invite Moses Adeyemi, Martha, Beto and Lucia Ferrer to the party", [], ["Martha", "Beto"]),
        ("fix my speech: Yiayia Evanthia asked one question, and Albert Einstein said luck is nothing", ["Einstein"], ["Evanthia"]),
        ("clean this log: GET /reset?e=solveig.haugstad%2Bbank%40online.no&id=9", [], ["haugstad"]),
        ("what is VIN 1FMCU0GX4EUB71952 recalled for? RO 58813", [], ["1FMCU0GX4EUB71952", "58813"]),
        ("kids: Maddox Reyes, 11 (3/2/2014) and Tessa, 6 (10/28/2018). how many days till 6/1/2025?", ["6/1/2025"], ["3/2/2014", "10/28/2018"]),
    ],
)  # fmt: skip
def test_whoever_is_hidden_is_hidden_in_all_forms(anonymizer, text, stays, goes):
    told = anonymizer.anonymize(text).text
    assert [one for one in stays if one not in told] == [] == [one for one in goes if one in told], told


def test_a_letter_ends_where_somebody_asks_about_it(anonymizer):
    letter = "Sehr geehrter Herr Brandt,\n\nhiermit kündigen wir zum 31. Mai 2026.\n\ni. A. Jung\n\n"
    told = anonymizer.anonymize(f"{letter}Fragen: Ich bin seit 6 Jahren dort. Stimmt die Frist?").text
    assert "31. Mai 2026" in told and "6 Jahren" in told and "Brandt" not in told
    told = anonymizer.anonymize(letter).text
    assert "31. Mai 2026" not in told, "a letter that nothing is asked about"


@pytest.mark.parametrize(
    "letter",
    [
        "Уважаемая Анна Петровна!\n\nСообщаю, что 3 марта 2025 г. я заплатил 4 300 рублей. Сколько мне ждать?\n\nС уважением,\nПётр Зарипов",
        "Sayın Ayşe Hanım,\n\n3 Mart 2025'te 4 300 TL ödedim, nasıl geri alırım, bana yazınız.\n\nSaygılarımla,\nEce Yıldız",
        "尊敬的王老师：\n\n2025年3月3日我交了4300元，收据还没有给我，请假的事也请您写一下。\n\n此致\n敬礼\n李国强",
    ],
)  # fmt: skip
def test_a_letter_in_any_script_that_nothing_is_asked_about_keeps_its_sums_to_itself(anonymizer, letter):
    told = anonymizer.anonymize(letter).text
    assert "4 300" not in told and "4300元" not in told, told
    assert not any(name in told for name in ("Зарипов", "Yıldız", "李国强"))


def test_words_that_are_no_orders_where_they_stand_ask_nothing():
    from gama.privacy.asked import asked_elsewhere

    assert asked_elsewhere("Le 3 mars, la classe de CM2 trie ses déchets.") == ""
    assert asked_elsewhere("Bu yaz çok sıcaktı, otobüs geç kaldı.") == ""
    assert asked_elsewhere("Rédige un mail à Luc.\nIl a 300 euros.") == "Rédige un mail à Luc."
    assert asked_elsewhere("Ece için kısa bir mesaj yaz.") == "Ece için kısa bir mesaj yaz."


@pytest.mark.parametrize(
    ("text", "stays", "goes"),
    [
        ("I'm a 54-year-old man taking metformin 1000 mg. What should I watch for? Dr. Alan Whitcombe asks, too.", ["man"], ["Whitcombe"]),
        ("Review my cover letter? I'm Aisha Karimi, a data analyst, and apply for the Senior Analyst role.", ["Senior Analyst"], ["Karimi"]),
        ("Is it legal to fire me for being pregnant? I told Siobhán Daly on 2 May.", ["pregnant", "2 May"], ["Daly"]),
        ("What did Mandela say at Rivonia? For my homework, due Monday, Ms Botha.", ["due Monday"], ["Botha"]),
        (
            "Was heißt „zum Quartalsende“ im Vertrag (Kundennr. 112233445)? Beginn war der 15.3.2023. Uwe Petersen",
            ["15.3.2023"],
            ["112233445", "Petersen"],
        ),
        ("请帮我写一封辞职信,我叫张伟,在上海星辰科技有限公司工作了三年。", ["在", "工作了三年"], ["张伟", "星辰"]),
        ("أريد كتابة شكوى. اسمي خالد العمري والفاتورة 45 دينار منذ شهرين.", ["45 دينار", "شهرين"], ["خالد"]),
    ],
)  # fmt: skip
def test_what_people_ask_every_day(anonymizer, text, stays, goes):
    told = anonymizer.anonymize(text).text
    assert [one for one in stays if one not in told] == [] == [one for one in goes if one in told], told
