"""The PostgreSQL door: psql, JDBC, ODBC and BI tools ask a vault in the protocol that they speak already."""
