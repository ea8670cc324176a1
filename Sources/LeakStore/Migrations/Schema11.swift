extension Migration {
    /// Version 11: what an object of each leak keeps, for the order by cost.
    static let schema11 = Migration(
        version: 11,
        script: """
            -- retained_bytes: RetainedBytes.median.
            alter table leak add column retained_bytes integer not null default 0;
            update leak set retained_bytes = \(RetainedBytes.median(ofLeak: "leak.id"))
            where id in (select leak from leak_value where kind = \(ValueKind.retainedBytes.rawValue));
            """)
}
