#if PostgreSQL
    internal import LeakStore

    extension Writer {
        func claimChannel(_ channel: String, by sender: Int64, now: Int64) throws(StoreError)
            -> ChannelPosition?
        {
            try changeChannel { connection throws(StoreError) in
                try ChannelPosition.claim(channel, by: sender, now: now, on: connection)
            }
        }

        func moveChannel(
            _ channel: String, to position: ChannelPosition, by sender: Int64
        ) throws(StoreError) -> Bool {
            try changeChannel { connection throws(StoreError) in
                try position.store(of: channel, by: sender, on: connection)
            }
        }

        private func changeChannel<Result>(
            _ body: (PostgreSQLConnection) throws(StoreError) -> Result
        ) throws(StoreError) -> Result {
            let connection = try connector.open()
            do throws(StoreError) {
                connection.begin("begin")
                let answers = try connection.run([Migration.sharedLockQuery, Migration.versionQuery])
                try Migration.requireKnownVersion(answers[1], connection)
                let result = try body(connection)
                try connection.run(Query("commit"))
                return result
            } catch {
                connector.reset()
                throw error
            }
        }
    }
#endif
