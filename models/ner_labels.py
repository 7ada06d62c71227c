"""What the labels of other makers' taggers mean in our types (`gama.state.entities.SUBTYPES`).

Where a label is coarser than our subtypes, the most frequent subtype of it stands for all: the type is right, the
subtype may not be. Labels are compared without case and separators, so that `FIRST_NAME`, `FirstName` and
`first-name` are one. Label sets that are covered: CoNLL-2003, OntoNotes 5, WNUT 2017, MultiNERD and WikiNEuRal,
i2b2 2014 (de-identification), the ai4privacy sets, Presidio's entity names, and the usual names of personal data.
"""

import re

LEFT_OUT = frozenset(
    "MISC CARDINAL ORDINAL QUANTITY PRODUCT EVENT EVE WORKOFART CREATIVEWORK LAW MEDIA ANIM ANIMAL BIO BIOLOGY CEL "
    "CELESTIAL FOOD INST INSTRUMENT MYTH MYTHOLOGY PLANT VEHI VEHICLE OTHERPHI ANATOMY SYMPTOM TITLE PREFIX "
    "SUFFIX".split()
)
"""Labels that are known and of no type of ours: things, works, plain numbers, forms of address (`TITLE`), and what
mixes many kinds (`MISC`)."""

_MEANINGS: dict[str, str] = {
    # PER
    "full_name": "PER PERS PERSON PERSONNAME NAME FULLNAME PATIENT PATIENTNAME DOCTOR STAFF HCW PRIVATEPERSON PEOPLE "
    "NAMESTUDENT",
    "first_name": "FIRSTNAME GIVENNAME GIVENNAME1 GIVENNAME2 MIDDLENAME FNAME",
    "last_name": "LASTNAME SURNAME FAMILYNAME LASTNAME1 LASTNAME2 LASTNAME3 LNAME",
    "nickname": "NICKNAME ALIAS",
    "handle": "USERNAME HANDLE SOCIALMEDIAHANDLE ACCOUNTNAME DISPLAYNAME",
    "initials": "INITIALS",
    # LOC
    "city": "LOC LOCATION GPE CITY TOWN PLACE LOCATIONOTHER GEOLOC",
    "region": "STATE REGION COUNTY PROVINCE",
    "country": "COUNTRY",
    "landmark": "LANDMARK",
    "facility": "FAC FACILITY BUILDING",
    "street_address": "STREETADDRESS ADDRESS STREET BUILDINGNUM BUILDINGNUMBER SECONDARYADDRESS SECADDRESS ADDR "
    "PRIVATEADDRESS",
    "postcode": "ZIP ZIPCODE POSTCODE POSTALCODE",
    "coordinates": "COORDINATE COORDINATES NEARBYGPSCOORDINATE GEOCOORD GPSCOORDINATES",
    # ORG
    "company": "ORG ORGANIZATION ORGANISATION COMPANY COMPANYNAME CORPORATION CORP EMPLOYER PATORG PATIENTORG VENDOR",
    "other_org": "GROUP TEAM",
    "school": "SCHOOL UNIVERSITY EDUCATIONALINSTITUTION",
    "government": "GOVERNMENT GOVERNMENTAGENCY",
    "ngo": "NGO",
    "healthcare": "HOSP HOSPITAL HEALTHCAREFACILITY",
    # DATETIME
    "date": "DATE DATETIME DATESTAMP PRIVATEDATE",
    "date_of_birth": "DOB DATEOFBIRTH BIRTHDATE BIRTHDAY",
    "time": "TIME TIMESTAMP",
    "duration": "DURATION",
    # CODE
    "email": "EMAIL EMAILADDRESS MAIL PRIVATEEMAIL",
    "phone": "PHONE PHONENUMBER TELEPHONE TELEPHONENUM TELEPHONENUMBER TEL MOBILE FAX FAXNUMBER PRIVATEPHONE CONTACT",
    "url": "URL WEBSITE DOMAINNAME LINK PRIVATEURL URLPERSONAL",
    "ip_address": "IP IPADDRESS IPV4 IPV6",
    "mac_address": "MAC MACADDRESS",
    "ssn": "SSN USSSN SOCIALNUM SOCIALNUMBER SOCIALSECURITYNUMBER NATIONALID NATIONALIDNUMBER",
    "credit_card": "CREDITCARD CREDITCARDNUMBER CREDITDEBITCARD CARDNUMBER MASKEDNUMBER CVV CREDITCARDCVV",
    "bank_account": "BANKACCOUNT BANKACCOUNTNUMBER ACCOUNTNUM ACCOUNTNUMBER USBANKNUMBER ACCOUNT BIC SWIFT SWIFTBIC "
    "ROUTINGNUMBER BANKROUTINGNUMBER",
    "iban": "IBAN IBANCODE",
    "passport": "PASSPORT PASSPORTNUM PASSPORTNUMBER USPASSPORT",
    "drivers_license": "DRIVERSLICENSE DRIVERLICENSE DRIVERLICENSENUM DRIVERLICENSENUMBER DRIVERSLICENSENUMBER "
    "USDRIVERLICENSE",
    "tax_id": "TAXID TAXNUM TAXNUMBER USITIN",
    "employee_id": "EMPLOYEEID",
    "student_id": "STUDENTID",
    "patient_id": "MEDICALRECORD MEDICALRECORDNUMBER MRN HEALTHPLAN HEALTHPLANBENEFICIARYNUMBER UKNHS PATIENTID",
    "case_number": "CASENUMBER",
    "order_number": "ORDERNUMBER INVOICENUMBER",
    "vehicle_plate": "LICENSEPLATE LICENSEPLATENUMBER VEHICLEVRM PLATE VEHICLEPLATE",
    "device_id": "DEVICE DEVICEID DEVICEIDENTIFIER IMEI PHONEIMEI VIN VEHICLEVIN VEHICLEIDENTIFIER",
    "password": "PASSWORD PASS SECRET PIN",
    "api_key": "APIKEY TOKEN HTTPCOOKIE",
    "crypto_wallet": "CRYPTO BITCOINADDRESS ETHEREUMADDRESS LITECOINADDRESS CRYPTOWALLET",
    "other_id": "ID IDNUM IDCARD IDCARDNUM IDNUMBER UNIQUEID UNIQUEIDENTIFIER CUSTOMERID CERTIFICATELICENSENUMBER "
    "MEDICALLICENSE LICENSE BIOID BIOMETRICIDENTIFIER CODE UUID",
    # DEM
    "age": "AGE",
    "gender": "GENDER SEX GENDERIDENTITY",
    "nationality": "NORP NRP NATIONALITY",
    "ethnicity": "ETHNICITY RACEETHNICITY",
    "religion": "RELIGION RELIGIOUSBELIEF",
    "political_affiliation": "POLITICALVIEW POLITICALAFFILIATION",
    "occupation": "OCCUPATION PROFESSION JOB JOBTITLE JOBTYPE JOBAREA",
    "education_level": "EDUCATION EDUCATIONLEVEL",
    "degree": "DEGREE",
    "sexual_orientation": "SEXUALITY SEXUALORIENTATION",
    "medical_condition": "DISEASE DIS CONDITION DIAGNOSIS MEDICALCONDITION",
    "blood_type": "BLOODTYPE",
    "height": "HEIGHT",
    "weight": "WEIGHT",
    "physical_feature": "EYECOLOR PHYSICALFEATURE",
    "marital_status": "MARITALSTATUS",
    "language": "LANGUAGE",
    # QUANTITY
    "amount": "MONEY AMOUNT CURRENCYAMOUNT PRICE",
    "income": "INCOME SALARY",
    "credit_score": "CREDITSCORE",
    "roi": "PERCENT PERCENTAGE",
}

_SUBTYPE_OF: dict[str, str] = {label: subtype for subtype, labels in _MEANINGS.items() for label in labels.split()}


def label_key(label: str) -> str:
    """Return a label as it is compared: upper case, without separators."""
    return re.sub(r"[^A-Z0-9]", "", label.upper())


def subtype_of(label: str) -> str | None:
    """Return the subtype that a label stands for; None for one that is left out or unknown."""
    return _SUBTYPE_OF.get(label_key(label))


def is_known(label: str) -> bool:
    """Return whether a label is in the table, as a subtype or as one that is left out."""
    key = label_key(label)
    return key in _SUBTYPE_OF or key in LEFT_OUT
