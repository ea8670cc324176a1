#if PostgreSQL
    extension Migration {
        /// Version 15: the bytes of samples and explanations that an ingest key adds on a day.
        static let schema15 = Migration(
            version: 15,
            statements: [
                // StoreLimits.detailBytesPerKeyAndDay
                "alter table idempotency_use add column if not exists detail_bytes bigint not null default 0"
            ])
    }
#endif
