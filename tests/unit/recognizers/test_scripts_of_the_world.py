"""Numbers and addresses beside their labels in languages of other scripts."""

import pytest

from gama.tools.builtin import recognizers
from gama.tools.recognizers.declared import PatternEngine

ENGINE = PatternEngine(recognizers())

FOUND = [
    ("نفيدكم بأن رقم الهوية ٢٠١٨٨٤٣٣١٧ مسجل لدينا", "ssn", "٢٠١٨٨٤٣٣١٧"),
    ("يرجى تحويل المبلغ إلى حساب رقم 20119938", "bank_account", "20119938"),
    ("מספר תעודת הזהות שלי הוא 302211448", "ssn", "302211448"),
    ("תיק מספר 55-1204", "case_number", "55-1204"),
    ("मेरा रोल नंबर ४४१२ है", "student_id", "४४१२"),
    ("पासपोर्ट संख्या: P3381920", "passport", "P3381920"),
    ("অর্ডার নম্বর ৮৮১২৩", "order_number", "৮৮১২৩"),
    ("মোবাইল: ০১৯১৬-৩৩২১৭৮", "phone", "০১৯১৬-৩৩২১৭৮"),
    ("我的护照号是EJ3320187，请查收", "passport", "EJ3320187"),
    ("订单号：DD88120", "order_number", "DD88120"),
    ("受付番号 A-99120 でお問い合わせください", "case_number", "A-99120"),
    ("계좌번호는 333-21-448812 입니다", "bank_account", "333-21-448812"),
    ("เลขที่คำร้อง ๑๒/๒๕๖๗ ลงวันที่", "case_number", "๑๒/๒๕๖๗"),
    ("Số tài khoản của mình là 0071000993382 nhé", "bank_account", "0071000993382"),
    ("αριθμός φακέλου Γ-99120", "patient_id", "Γ-99120"),
    ("номер договора 77-Д/118", "case_number", "77-Д/118"),
    ("ที่อยู่: 12/3 ซอยสุขใจ ถนนพระราม 4", "street_address", "12/3 ซอยสุขใจ ถนนพระราม 4"),
    ("العنوان: شارع النخيل، عمارة 7", "street_address", "شارع النخيل، عمارة 7"),
    ("我不知道这是什么 88123344556", "other_id", "88123344556"),
    ("машина А448ХВ 716 стоит на газоне", "vehicle_plate", "А448ХВ 716"),
    ("авто ВС 4482 НІ на газоні", "vehicle_plate", "ВС 4482 НІ"),
    ("يركن سيارته (أ ب ج 4471) أمام بابي", "vehicle_plate", "أ ب ج 4471"),
    ("پلاک ماشینش ۵۵ ب ۳۴۱ ایران ۲۲ است", "vehicle_plate", "۵۵ ب ۳۴۱ ایران ۲۲"),
    ("গাড়ি ঢাকা মেট্রো-গ ১৪-৪৪৮২ আমার গেটে", "vehicle_plate", "ঢাকা মেট্রো-গ ১৪-৪৪৮২"),
    ("गाड़ी UP14 BX 4471 हमेशा यहाँ", "vehicle_plate", "UP14 BX 4471"),
    ("รถเขาทะเบียน 4กข 4482 จอดขวาง", "vehicle_plate", "4กข 4482"),
    ("他的车是沪B·D7721，停在门口", "vehicle_plate", "沪B·D7721"),
    ("내 인스타 아이디는 dahye_kk야", "handle", "dahye_kk"),
    ("ไอจีฝน fon_k88 นะ", "handle", "fon_k88"),
    ("האינסטגרם שלי noa_k12", "handle", "noa_k12"),
    ("আমার ফেসবুক আইডি tuhin.kk77", "handle", "tuhin.kk77"),
    ("ห้อง 12 HN4482", "patient_id", "4482"),
    ("사건번호 2024가단51823 입니다", "case_number", "2024가단51823"),
    ("টিকিট ৭৭১২০: গ্রাহক", "case_number", "৭৭১২০"),
    ("גרה ברחוב ז'בוטינסקי 44, רמת גן", "street_address", "רחוב ז'בוטינסקי 44, רמת גן"),
    ("อยู่ 44/12 ซอยลาดพร้าว 71 แขวงสะพานสอง", "street_address", "44/12 ซอยลาดพร้าว 71 แขวงสะพานสอง"),
    ("به نشانی تهران، خیابان ولیعصر، کوچه نسترن، پلاک ۱۴، واحد ۳", "street_address", "تهران، خیابان ولیعصر، کوچه نسترن، پلاک ۱۴، واحد ۳"),
    ("থাকি বাসা ১৪, রোড ৩, ধানমন্ডি", "street_address", "বাসা ১৪, রোড ৩, ধানমন্ডি"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "subtype", "value"), FOUND)
def test_what_a_label_announces_is_found(text, subtype, value):
    assert (subtype, value) in [(span.subtype, text[span.start : span.end]) for span in ENGINE.find(text)]


@pytest.mark.parametrize(
    "text",
    [
        "在2024年有12000000元的预算",
        "الميزانية 15000000 ريال في سنة 2024",
        "В 2023 году бюджет составил 12 500 000 руб.",
        "התקציב הוא 4500000 ש\"ח",
        "第12章と第13章を読んでください。",
        "मुझे 500 रुपये चाहिए",
        "В договоре 14 дней на ответ",
    ],
)  # fmt: skip
def test_sums_years_and_counts_are_no_codes(text):
    assert [text[span.start : span.end] for span in ENGINE.find(text) if span.type == "CODE"] == []


def test_latin_text_is_left_to_the_others():
    text = "The notes say номер once, and then 8812334455667 is the number of cells; 1200 samples."
    assert [span for span in ENGINE.find(text) if span.source == "number_script"] == []
