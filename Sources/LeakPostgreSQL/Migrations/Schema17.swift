#if PostgreSQL
    extension Migration {
        /// Version 17: environments of apps and of ingest keys.
        static let schema17 = Migration(
            version: 17,
            statements: [
                // A row of app is an app in one environment. Reports from before this schema are of production.
                """
                alter table app add column if not exists environment text collate "C" not null default 'production',
                  drop constraint if exists app_name_key
                """,
                // environments: Credential.environmentList.
                "alter table credential add column if not exists environments text collate \"C\"",
                "create unique index if not exists app_in_environment on app (name, environment)",
            ])
    }
#endif
