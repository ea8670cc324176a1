extension Migration {
    /// Version 13: the bytes of samples and explanations that an ingest key adds on a day.
    static let schema13 = Migration(
        version: 13,
        script: """
            -- detail_bytes: StoreLimits.detailBytesPerKeyAndDay.
            alter table idempotency_use add column detail_bytes integer not null default 0;
            """)
}
