-- Tables that the macros of functions.sql look things up in. Their columns begin with k_: see there.

CREATE MACRO fn.in_quotes(p_name) AS CASE WHEN regexp_full_match(p_name, '[a-z_][a-z0-9_]*') THEN p_name
    ELSE '"' || replace(p_name, '"', '""') || '"' END;

CREATE TABLE fn.k_class AS SELECT c.oid AS k_oid, relname AS k_name, nspname AS k_ns,
    CASE nspname WHEN 'pg_catalog' THEN 0 WHEN 'public' THEN 1 ELSE 3 END AS k_rank,
    CASE WHEN nspname IN ('pg_catalog', 'public') THEN '' ELSE fn.in_quotes(nspname) || '.' END || fn.in_quotes(relname) AS k_shown
    FROM cat.pg_class c JOIN cat.pg_namespace n ON n.oid = relnamespace;

CREATE TABLE fn.k_class_said AS SELECT k_oid, k_rank, k_name AS k_said FROM fn.k_class WHERE k_rank < 3
    UNION ALL SELECT k_oid, k_rank, k_ns || '.' || k_name FROM fn.k_class
    UNION ALL SELECT k_oid, k_rank, datname || '.' || k_ns || '.' || k_name FROM fn.k_class, cat.pg_database;

CREATE TABLE fn.k_type AS SELECT t.oid AS k_oid, typname AS k_name, nspname AS k_ns,
    coalesce(x.shown, CASE WHEN typelem > 0 THEN substr(typname, 2) || '[]' ELSE typname END) AS k_shown
    FROM cat.pg_type t JOIN cat.pg_namespace n ON n.oid = typnamespace LEFT JOIN fn.type_texts x ON x.oid = t.oid;

CREATE TABLE fn.k_type_said AS SELECT k_oid, lower(said) AS k_said FROM (
    SELECT k_oid, k_name AS said FROM fn.k_type UNION SELECT k_oid, k_shown FROM fn.k_type
    UNION SELECT k_oid, k_ns || '.' || k_name FROM fn.k_type
    UNION SELECT e.oid, substr(typname, 2) || '[]' FROM cat.pg_type e WHERE typelem > 0 AND typname LIKE '\_%' ESCAPE '\'
    UNION SELECT k_oid, alias FROM fn.k_type JOIN (VALUES ('int4', 'int'), ('int4', 'int4'), ('numeric', 'decimal'), ('bpchar', 'char'),
        ('_int4', 'int[]'), ('float8', 'float'), ('varchar', 'char varying')) AS a(k_of, alias) ON k_of = k_name AND k_ns = 'pg_catalog');

CREATE TABLE fn.k_proc AS SELECT p.oid AS k_oid, proname AS k_name, nspname AS k_ns, x.arguments AS k_arguments,
    x.identity_arguments AS k_identity, x.result AS k_result, replace(x.identity_arguments, ', ', ',') AS k_identity_types
    FROM cat.pg_proc p JOIN cat.pg_namespace n ON n.oid = pronamespace JOIN fn.proc_texts x ON x.oid = p.oid;

CREATE TABLE fn.k_namespace AS SELECT oid AS k_oid, nspname AS k_name FROM cat.pg_namespace;

CREATE VIEW fn.k_role AS SELECT oid AS k_oid, rolname AS k_name FROM cat.pg_authid;

CREATE TABLE fn.k_operator AS SELECT oid AS k_oid, oprname AS k_name FROM cat.pg_operator;

CREATE TABLE fn.k_collation AS SELECT oid AS k_oid, collname AS k_name FROM cat.pg_collation;

CREATE TABLE fn.k_description AS SELECT objoid AS k_oid, relname AS k_class, objsubid AS k_sub, description AS k_text
    FROM cat.pg_description d JOIN cat.pg_class c ON c.oid = classoid;

CREATE TABLE fn.k_shared_description AS SELECT objoid AS k_oid, relname AS k_class, description AS k_text
    FROM cat.pg_shdescription d JOIN cat.pg_class c ON c.oid = classoid;

CREATE TABLE fn.k_index AS SELECT oid AS k_oid, definition AS k_definition FROM fn.index_texts;

CREATE TABLE fn.k_attribute AS SELECT attrelid AS k_relation, attnum AS k_number, attname AS k_name FROM cat.pg_attribute;

CREATE TABLE fn.k_setting AS SELECT lower(name) AS k_name, setting AS k_value FROM cat.pg_settings;
