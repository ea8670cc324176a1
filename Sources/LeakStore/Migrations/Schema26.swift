extension Migration {
    /// Version 26: the order of the first version of a leak after the version was evicted.
    static let schema26 = Migration(
        version: 26,
        script: """
            -- first_order: the order_key of the first release if it was evicted, so that first_release is the release 'other'; else
            -- null.
            alter table leak add column first_order blob;
            """)
}
