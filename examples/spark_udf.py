"""A data team on Spark: a pandas UDF anonymizes a column, and another one restores it.

The box of each record travels with it, sealed; every machine needs the master key (`GAMA_KEY`). Needs `pip install
'gama-privacy[bulk]' pyspark` and Java 17; without pyspark the tests try the two functions with pandas. It was run whole
with pyspark 4.3.
"""

import os
import sys
from collections.abc import Iterator

import pandas as pd

TICKETS = [
    (1, "Emma Williams asks for a refund to GB29 NWBK 6016 1331 9268 19."),
    (2, "Daniel Jones called; Emma Williams is to call him on +44 20 7946 0958."),
    (3, "Is the shop open?"),
]


def hide(batches: Iterator[pd.Series]) -> Iterator[pd.DataFrame]:
    """Replace the texts of a partition, batch by batch; the model is loaded once."""
    from gama import Anonymizer
    from gama.vault.seal import Vault, default_home

    anonymizer, vault = Anonymizer(), Vault.at(default_home())
    for texts in batches:
        views = [anonymizer.anonymize(text) for text in texts]
        boxes = [vault.seal_file("tickets", view.box.model_dump_json().encode()) for view in views]
        yield pd.DataFrame({"text": [view.text for view in views], "box": [box.model_dump_json() for box in boxes]})


def restore(batches: Iterator[tuple[pd.Series, pd.Series]]) -> Iterator[pd.Series]:
    """Put the values of a partition back."""
    from gama import Anonymizer, PrivacyBox
    from gama.state.private_text import Sealed
    from gama.vault.seal import Vault, default_home

    anonymizer, vault = Anonymizer(), Vault.at(default_home())
    for texts, sealed in batches:
        opened = [vault.open_file("tickets", Sealed.model_validate_json(box)) for box in sealed]
        boxes = [PrivacyBox.model_validate_json(box) for box in opened]
        yield pd.Series([anonymizer.restore(text, box).text for text, box in zip(texts, boxes, strict=True)])


def main() -> None:
    """Run both with a Spark on this machine."""
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import col, pandas_udf

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    local = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    spark = SparkSession.builder.master("local[2]").config(map=local).getOrCreate()
    hiding, restoring = pandas_udf(hide, "text string, box string"), pandas_udf(restore, "string")
    tickets = spark.createDataFrame(TICKETS, ["id", "text"])
    hidden = tickets.select("id", hiding("text").alias("hidden")).select("id", "hidden.*").cache()
    for row in hidden.orderBy("id").collect():
        print("hidden:", row.text)
        assert "Emma" not in row.box
    back = hidden.select("id", restoring(col("text"), col("box")).alias("text")).orderBy("id")
    print("all back:", [tuple(row) for row in back.collect()] == TICKETS)
    spark.stop()


if __name__ == "__main__":
    main()
