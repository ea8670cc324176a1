#if PostgreSQL
    /// The settings with which a connection is opened. The address is the setting `dbname`. Its options override the settings
    /// before `dbname` in the list, but not those after `dbname`.
    enum ConnectionSettings {
        /// Time limit of one attempt to connect; reports wait meanwhile.
        static let connectSeconds = 5

        /// Returns the names and the values of all settings, as two arrays in the same order.
        static func all(for address: DatabaseAddress) -> (keywords: [String], values: [String]) {
            let settings = [
                ("connect_timeout", "\(connectSeconds)"),
                // A vanished server is noticed after 25 seconds on an idle connection, and after 15 seconds if sent data is not
                // acknowledged.
                ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
                ("tcp_user_timeout", "15000"),
                ("fallback_application_name", "collector"),
                // If the address names several hosts, the connection goes to a host that accepts writes, such as a promoted standby.
                ("target_session_attrs", "read-write"),
                ("dbname", address.text),
                ("client_encoding", "UTF8"),
            ]
            return (settings.map(\.0), settings.map(\.1))
        }

        /// Time limit of statements on connections that read pages: a little less than ``Timeouts/page``.
        static let pageTimeoutSQL = "set statement_timeout = '9s'"

        /// Memory for connections that read pages, so that a list of 100,000 leaks is sorted and added up in memory.
        static let pageMemorySQL = "set work_mem = '32MB'"

        /// Settings of each connection. The server cancels slow statements, so that no transaction blocks other transactions
        /// forever.
        static let sessionStatements = [
            "set statement_timeout = '30s'",
            "set lock_timeout = '10s'",
            "set idle_in_transaction_session_timeout = '30s'",
            // The server stops a query whose collector has given up or has ended. A server on Windows cannot do that.
            """
            select set_config('client_connection_check_interval', '5s', false)
            where version() not like '%Visual C++%'
            """,
            "set timezone = 'UTC'",
            // Statements are short and are repeated, and the best plan of most does not depend on their values. Planning a list for
            // each page took longer than reading it, and JIT compilation took a hundred times as long.
            "set jit = off",
            "set plan_cache_mode = force_generic_plan",
            // Data is in memory or on an SSD, where random reads are cheap. A plan then uses an index even if the table was small
            // when the plan was made.
            "set random_page_cost = 1.1",
            // A statement that waited for a lock must see what the holder of the lock wrote, whatever the default of the role is.
            "set default_transaction_isolation = 'read committed'",
            // The answer to a report means that the report is on disk. A stricter setting stays as it is.
            """
            select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'
            """,
        ]
    }
#endif
