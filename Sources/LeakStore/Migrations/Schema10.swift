extension Migration {
    /// Version 10: symbols of images.
    static let schema10 = Migration(
        version: 10,
        script: """
            -- kind: image, mapping. image: StoredSymbols.image. Numbers are given once: readers load tables again when there is
            -- a new one. body: compressed, last because it is long.
            create table if not exists symbol_table (
              id integer primary key autoincrement,
              kind text not null,
              image text not null,
              name text not null,
              uploaded_at integer not null,
              used_at integer not null,
              bytes integer not null,
              body blob not null,
              unique (kind, image)
            );
            create index if not exists symbol_table_by_use on symbol_table (used_at);
            """)
}
