"""Who is named beside somebody private, names whose letters stand apart, titles, and addresses by their shape."""

import pytest

from gama import Anonymizer


def hidden(text: str) -> set[str]:
    return {one.text for one in Anonymizer().anonymize(text).entities if one.hidden}


def test_who_is_named_beside_somebody_private_goes():
    text = "Hi Ben,\nI paid on 3rd Feb from account 60-83-71 / 00011222. Who is dealing with this, Ben or Folasade?\nH."
    assert {"Ben", "Folasade"} <= hidden(text)
    assert hidden("Is Paris or Rome nicer in May?") == set()


@pytest.mark.parametrize("text", ["N a m e : O l u m i d e   A d e y e m i.", "I am O l u m i d e   A d e y e m i now"])
def test_a_name_whose_letters_stand_apart_goes(text):
    assert "O l u m i d e   A d e y e m i" in hidden(text)


def test_letters_that_stand_apart_and_name_nobody_stay():
    assert not [found for found in hidden("Choose A B C D or a b c d e.") if " " in found]


def test_a_title_is_no_name():
    assert hidden("Is it normal that my landlord Mr. Abiodun Falana keeps coming in?") == {"Abiodun Falana"}


@pytest.mark.parametrize(
    "address",
    [
        "ул. Мира, д. 5, кв. 12",
        "улица Академика Королёва 12",
        "Ленинский проспект, д. 30, кв. 8",
        "вул. Хрещатик, буд. 22, кв. 4",
        "пр-т Ленина, 7/2",
    ],
)
def test_an_address_in_cyrillic_goes_whole(address):
    assert address in hidden(f"Здравствуйте, проживаю: г. Тула, {address}. Помогите составить жалобу.")


def test_a_street_without_a_house_is_no_address():
    assert not [one for one in hidden("Когда построили улицу Арбат в Москве?") if "Арбат" in one]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("電話は090-1234-5678、住所は東京都世田谷区桜丘3-5-12です。", "東京都世田谷区桜丘3-5-12"),
        ("大阪府吹田市山田西2丁目4番1号に住んでいます。", "大阪府吹田市山田西2丁目4番1号"),
        ("我住在浙江省杭州市西湖区文三路90号2号楼302室，请寄到这里。", "浙江省杭州市西湖区文三路90号2号楼302室"),
        ("저는 서울특별시 마포구 월드컵로 112에 살아요.", "서울특별시 마포구 월드컵로 112"),
        ("أنا سارة وأسكن في حي النخيل بالرياض منذ سنة.", "حي النخيل بالرياض"),
    ],
)
def test_an_address_in_other_scripts_goes(text, address):
    assert address not in Anonymizer().anonymize(text).text


@pytest.mark.parametrize(
    "text",
    ["広島市中区の人口は120万人ですか。", "东京都有多少人？", "北京市有23个区吗？", "서울시 인구는 900만인가요?"],
)
def test_what_is_told_of_a_city_is_no_address(text):
    assert "address" not in Anonymizer().anonymize(text).text


def test_a_number_ends_before_the_next_word():
    shown = Anonymizer().anonymize("Adresim: Moda Cad. No: 14/3 Kadıköy. Ne yapmalıyım, ben Elif Karadağ?").text
    assert "14/3" not in shown and ">ıköy" not in shown


def test_an_article_is_no_name():
    text = (
        "My daughter Aoife was excluded from St Brigid's for hitting another boy, Cillian M. The head, Mrs O'Dowd, won't "
        "see us. Draft a letter of appeal; we live at Tobar Mhuire, Clonbur, F12 X8K3."
    )
    assert "The" not in hidden(text)


def test_a_body_in_small_letters_is_nobody():
    assert hidden("should i ask hmrc about it, or tell dwp first?") == set()
    assert "keiran" in hidden("should i ask keiran about it, or tell dwp first?")
