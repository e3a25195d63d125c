"""Django: its introspection, by inspectdb."""

import io
import json
import os

import django
from django.conf import settings
from django.core.management import call_command
from django.db import connection

where = json.loads(os.environ["TACIT_CLIENT"])
place = {
    "HOST": where["host"],
    "PORT": where["port"],
    "USER": where["name"],
    "PASSWORD": where["password"],
}
settings.configure(
    DATABASES={
        "default": {"ENGINE": "django.db.backends.postgresql", "NAME": where["database"], **place}
    }
)
django.setup()
call_command("inspectdb", include_views=True, stdout=io.StringIO())
with connection.cursor() as cursor:
    for name in connection.introspection.table_names(cursor, include_views=True):
        connection.introspection.get_table_description(cursor, name)
        connection.introspection.get_constraints(cursor, name)
        connection.introspection.get_relations(cursor, name)
        connection.introspection.get_sequences(cursor, name)
connection.close()
