/// SQL that brings a database of the newest schema back to an earlier one.
enum PastSchema {
    /// Undoes schema 14 of SQLite.
    static let without14 = """
        alter table build drop column session_buckets;
        alter table build drop column leaky_buckets;
        alter table leak_build drop column buckets;
        drop table build_check;
        create table release_check (
          release integer not null references release, class text not null, checks integer not null,
          primary key (release, class)) without rowid;
        """

    /// The table that schema 16 of PostgreSQL drops.
    static let releaseCheck = """
        create table release_check (
          release bigint not null, class text collate "C" not null, checks bigint not null, primary key (release, class))
        """
}
