import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.Properties;
import java.util.Timer;
import java.util.TimerTask;

/** pgjdbc: the whole of DatabaseMetaData, statements, prepared statements, portals, warnings, cancelling. */
public class Jdbc {
    interface Step {
        void run() throws Exception;
    }

    static final String COUNTS = "SELECT test, COUNT(*) AS n FROM labs GROUP BY test";
    static String url;
    static boolean isVault;
    static final Properties who = new Properties();

    static void step(String name, Step what) {
        try {
            what.run();
            System.out.println("ok   " + name);
        } catch (Throwable error) {
            System.out.println("FAIL " + name + " | " + String.valueOf(error.getMessage()).replace('\n', ' '));
        }
    }

    static void expect(boolean condition, Object why) {
        if (!condition) {
            throw new AssertionError(String.valueOf(why));
        }
    }

    static int drain(ResultSet rows) throws SQLException {
        int count = 0;
        while (rows.next()) {
            count++;
        }
        rows.close();
        return count;
    }

    static void refused(Step what, String state) throws Exception {
        try {
            what.run();
        } catch (SQLException error) {
            expect(state.equals(error.getSQLState()), error.getSQLState() + " " + error.getMessage());
            return;
        }
        throw new AssertionError("it was not refused");
    }

    static Connection open() throws SQLException {
        return DriverManager.getConnection(url, who);
    }

    /** Arguments: address, name, password, certificate or "-". */
    public static void main(String[] given) throws Exception {
        url = given[0];
        who.setProperty("user", given[1]);
        who.setProperty("password", given[2]);
        isVault = !given[3].equals("-");
        if (isVault) {
            who.setProperty("sslmode", "verify-full");
            who.setProperty("sslrootcert", given[3]);
            who.setProperty("options", "-c tacit.epsilon=0.05");
        }
        step("connect", () -> open().close());
        Connection connection = open();
        DatabaseMetaData data = connection.getMetaData();
        metadata(data);
        questions(connection);
        if (isVault) {
            vault(connection);
        }
        connection.close();
    }

    static void metadata(DatabaseMetaData data) {
        step("versions", () -> {
            expect(data.getDatabaseProductName().equals("PostgreSQL"), data.getDatabaseProductName());
            expect(data.getDatabaseMajorVersion() == 15, data.getDatabaseMajorVersion());
            data.getMaxColumnNameLength();
            data.getSQLKeywords();
            data.getUserName();
            data.getDefaultTransactionIsolation();
            data.getNumericFunctions();
        });
        step("getCatalogs", () -> drain(data.getCatalogs()));
        step("getSchemas", () -> drain(data.getSchemas()));
        step("getSchemas(pub%)", () -> drain(data.getSchemas(null, "pub%")));
        step("getTableTypes", () -> drain(data.getTableTypes()));
        step("getTables", () -> expect(drain(data.getTables(null, null, "%", null)) > 100, "too few"));
        step("getTables(public)", () ->
            expect(drain(data.getTables(null, "public", "%", new String[] {"TABLE", "VIEW"})) >= 2, "too few"));
        step("browse", () -> expect(drain(data.getTables(null, "public", "labs", null)) == 1, "not one"));
        step("getColumns", () -> drain(data.getColumns(null, null, "%", "%")));
        step("getColumns(labs)", () -> {
            ResultSet rows = data.getColumns(null, "public", "labs", null);
            StringBuilder found = new StringBuilder();
            while (rows.next()) {
                found.append(rows.getString("COLUMN_NAME")).append(' ').append(rows.getString("TYPE_NAME")).append(';');
                rows.getInt("DATA_TYPE");
                rows.getInt("COLUMN_SIZE");
                rows.getString("REMARKS");
            }
            expect(found.toString().contains("test text;value float8;day int8;"), found);
        });
        step("getPrimaryKeys", () -> drain(data.getPrimaryKeys(null, "public", "labs")));
        step("getImportedKeys", () -> drain(data.getImportedKeys(null, "public", "labs")));
        step("getExportedKeys", () -> drain(data.getExportedKeys(null, "public", "labs")));
        step("getCrossReference", () -> drain(data.getCrossReference(null, "public", "labs", null, "public", "events")));
        step("getIndexInfo", () -> drain(data.getIndexInfo(null, "public", "labs", false, true)));
        step("getBestRowIdentifier", () -> drain(data.getBestRowIdentifier(null, "public", "labs", 0, true)));
        step("getVersionColumns", () -> drain(data.getVersionColumns(null, "public", "labs")));
        step("getTypeInfo", () -> expect(drain(data.getTypeInfo()) > 50, "too few"));
        step("getUDTs", () -> drain(data.getUDTs(null, "public", "%", null)));
        step("getProcedures", () -> drain(data.getProcedures(null, "public", "%")));
        step("getFunctions", () -> drain(data.getFunctions(null, "public", "%")));
        step("getProcedureColumns", () -> drain(data.getProcedureColumns(null, "public", "%", "%")));
        step("getFunctionColumns", () -> drain(data.getFunctionColumns(null, "public", "%", "%")));
        step("getTablePrivileges", () -> drain(data.getTablePrivileges(null, "public", "labs")));
        step("getColumnPrivileges", () -> drain(data.getColumnPrivileges(null, "public", "labs", "%")));
        step("getClientInfoProperties", () -> drain(data.getClientInfoProperties()));
    }

    static void questions(Connection connection) {
        int rows = isVault ? 2 : 0;
        step("ask", () -> {
            ResultSet found = connection.createStatement().executeQuery(COUNTS);
            ResultSetMetaData said = found.getMetaData();
            expect(said.getColumnTypeName(2).equals("int8"), said.getColumnTypeName(2));
            expect(drain(found) == rows, "other rows");
        });
        step("metadata of columns", () -> {
            ResultSet found = connection.createStatement().executeQuery(COUNTS);
            ResultSetMetaData said = found.getMetaData();
            for (int each = 1; each <= said.getColumnCount(); each++) {
                said.isAutoIncrement(each);
                said.isNullable(each);
                said.getTableName(each);
                said.getSchemaName(each);
                said.getPrecision(each);
                said.isSearchable(each);
            }
            found.close();
        });
        step("prepared, seven times", () -> {
            PreparedStatement statement = connection.prepareStatement(COUNTS + " HAVING COUNT(*) > ?");
            for (int time = 0; time < 7; time++) {
                statement.setLong(1, -10000);
                expect(drain(statement.executeQuery()) == rows, "other rows");
            }
            statement.getMetaData();
            statement.getParameterMetaData().getParameterType(1);
            statement.close();
        });
        step("text as a parameter", () -> {
            PreparedStatement statement = connection.prepareStatement("SELECT COUNT(*) AS n FROM labs WHERE test = ?");
            statement.setString(1, "hdl");
            expect(drain(statement.executeQuery()) == 1, "not one");
            statement.close();
        });
        step("columns without executing", () -> {
            PreparedStatement statement = connection.prepareStatement(COUNTS);
            expect(statement.getMetaData().getColumnCount() == 2, "not two");
            statement.close();
        });
        step("a portal, one row at a time", () -> {
            connection.setAutoCommit(false);
            Statement statement = connection.createStatement();
            statement.setFetchSize(1);
            expect(drain(statement.executeQuery(COUNTS)) == rows, "other rows");
            connection.commit();
            connection.rollback();
            connection.setAutoCommit(true);
        });
        step("read only, isolation, schema, time-out, most rows", () -> {
            connection.setReadOnly(true);
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            connection.getTransactionIsolation();
            connection.setSchema("public");
            expect("public".equals(connection.getSchema()), connection.getSchema());
            connection.getCatalog();
            expect(connection.isValid(30), "not valid");
            Statement statement = connection.createStatement();
            statement.setQueryTimeout(60);
            drain(statement.executeQuery(COUNTS));
            statement.setMaxRows(200);
            drain(statement.executeQuery(COUNTS));
            connection.setClientInfo("ApplicationName", "x");
            connection.setReadOnly(false);
        });
        step("explain", () -> expect(drain(connection.createStatement().executeQuery("EXPLAIN " + COUNTS)) > 0, "nothing"));
        step("LIMIT in a wrapper", () -> expect(drain(connection.createStatement().executeQuery(
            "SELECT * FROM (" + COUNTS + ") AS x LIMIT 200")) == rows, "other rows"));
        step("a wrapper for columns alone", () -> expect(drain(connection.createStatement().executeQuery(
            "SELECT * FROM (" + COUNTS + ") AS x WHERE 1 = 0")) == 0, "rows"));
    }

    static boolean isCancelled(Connection connection, String question) throws SQLException {
        Statement statement = connection.createStatement();
        Timer timer = new Timer(true);
        timer.schedule(new TimerTask() {
            public void run() {
                try {
                    statement.cancel();
                } catch (SQLException error) {
                    timer.cancel();
                }
            }
        }, 20, 20);
        try {
            statement.executeQuery(question);
            return false;
        } catch (SQLException error) {
            return "57014".equals(error.getSQLState());
        } finally {
            timer.cancel();
        }
    }

    static void vault(Connection connection) {
        step("warnings", () -> {
            Statement statement = connection.createStatement();
            statement.executeQuery(COUNTS);
            SQLWarning warning = statement.getWarnings();
            expect(warning != null && warning.getMessage().contains("±"), warning);
        });
        step("intervals", () -> {
            Connection other = open();
            other.createStatement().execute("SET tacit.intervals = on");
            ResultSet rows = other.createStatement().executeQuery(COUNTS);
            while (rows.next()) {
                expect(rows.getDouble("n_low") <= rows.getLong("n") && rows.getLong("n") <= rows.getDouble("n_high"), "not within");
            }
            other.close();
        });
        step("the limit is kept", () -> refused(() -> {
            Connection other = open();
            other.createStatement().execute("SET tacit.epsilon = 1000");
            other.createStatement().executeQuery("SELECT test, COUNT(*) AS n FROM labs WHERE day < 11 GROUP BY test");
        }, "53400"));
        step("connect with TLS", () -> refused(() -> {
            Properties plain = new Properties();
            plain.putAll(who);
            plain.setProperty("sslmode", "disable");
            DriverManager.getConnection(url, plain);
        }, "28000"));
        step("rows are refused", () -> refused(() -> connection.createStatement().executeQuery("SELECT * FROM labs"), "42501"));
        step("writes are refused", () -> refused(() -> connection.createStatement().execute("CREATE TABLE t (a int)"), "25006"));
        step("cancel", () -> {
            boolean cancelled = false; // on a busy machine a question may be over too soon
            for (int day = 5; day < 30 && !cancelled; day += 8) {
                cancelled = isCancelled(connection, "SELECT test, COUNT(*) AS n FROM labs WHERE day > " + day + " GROUP BY test");
            }
            expect(cancelled, "none was cancelled");
        });
        step("after that, the connection works", () -> expect(drain(connection.createStatement().executeQuery(COUNTS)) == 2, "rows"));
    }
}
