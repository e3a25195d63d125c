"""peewee: its introspection, and the questions it asks of a database."""

import json
import os

import peewee
from playhouse.reflection import Introspector, generate_models

where = json.loads(os.environ["TACIT_CLIENT"])
place = {
    "host": where["host"],
    "port": where["port"],
    "user": where["name"],
    "password": where["password"],
}
database = peewee.PostgresqlDatabase(where["database"], **place)
for name in database.get_tables():
    database.get_columns(name)
    database.get_indexes(name)
    database.get_primary_keys(name)
    database.get_foreign_keys(name)
database.get_views()
database.table_exists("labs")
database.sequence_exists("x")
generate_models(database)
Introspector.from_database(database).introspect()
database.close()
