#if PostgreSQL
    extension Migration {
        /// Version 11: symbols of images.
        static let schema11 = Migration(
            version: 11,
            statements: [
                // kind: image, mapping. image: StoredSymbols.image. Numbers are given once: readers load tables again when
                // there is a new one. body: compressed already.
                """
                create table if not exists symbol_table (
                  id bigint generated always as identity primary key,
                  kind text not null,
                  image text not null,
                  name text not null,
                  uploaded_at bigint not null,
                  used_at bigint not null,
                  bytes bigint not null,
                  body bytea not null,
                  unique (kind, image)
                )
                """,
                "alter table symbol_table alter column body set storage external",
                "create index if not exists symbol_table_by_use on symbol_table (used_at)",
            ])
    }
#endif
