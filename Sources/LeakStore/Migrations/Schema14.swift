extension Migration {
    /// Version 14: sessions, checks and reports of each build, by bucket of installs.
    static let schema14 = Migration(
        version: 14,
        script: """
            -- …buckets: BucketCounts. Sessions and reports from before this schema are in no bucket.
            alter table build add column session_buckets blob not null default x'';
            alter table build add column leaky_buckets blob not null default x'';
            alter table leak_build add column buckets blob not null default x'';

            create table if not exists build_check (
              build integer not null references build,
              class text not null,
              checks integer not null,
              buckets blob not null,
              primary key (build, class)
            ) without rowid;
            -- Checks from before this schema count in the first build of their version, in no bucket.
            insert into build (release, name, order_key)
              select distinct release, '', x'01' from release_check c
              where not exists (select 1 from build b where b.release = c.release);
            insert into build_check (build, class, checks, buckets)
              select (select min(id) from build where release = c.release), class, checks, x'' from release_check c;
            drop table release_check;
            update beyond set name = 'check_classes_per_build' where name = 'check_classes_per_release';
            """)
}
