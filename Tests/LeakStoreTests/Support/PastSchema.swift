/// SQL that brings a database of the newest schema back to an earlier schema.
enum PastSchema {
    /// Undoes schemas 25 to 30 of SQLite.
    static let without25OfSQLite = """
        drop table app_rules;
        drop table event;
        drop table event_mark;
        drop table channel;
        drop table leak_merge;
        drop table leak_merge_release;
        drop table leak_merge_sample;
        alter table leak drop column first_order;
        drop table discarded_leak;
        alter table app drop column made_at;
        alter table app drop column is_shared;
        alter table release drop column made_by;
        alter table release drop column made_at;
        alter table release drop column is_shared;
        alter table build drop column made_by;
        alter table build drop column made_at;
        alter table leak drop column made_by;
        alter table leak drop column made_at;
        alter table leak drop column is_shared;

        """

    /// Undoes schemas 23 to 28 of SQLite.
    static let without23OfSQLite =
        without25OfSQLite + """
            drop table audit;
            alter table credential drop column role;

            """

    /// Undoes schemas 22 to 28 of SQLite.
    static let without22OfSQLite =
        without23OfSQLite + """
            alter table build drop column has_lower;
            alter table leak drop column first_build;

            """

    /// Undoes schemas 21 to 28 of SQLite.
    static let without21OfSQLite =
        without22OfSQLite + """
            alter table decision drop column known_build;

            """

    /// Undoes schemas 20 to 28 of SQLite.
    static let without20OfSQLite =
        without21OfSQLite + """
            alter table decision drop column build;
            alter table decision drop column build_from;

            """

    /// Undoes schemas 19 to 28 of SQLite.
    static let without19 =
        without20OfSQLite + """
            alter table decision_release drop column hour_reports;

            """

    /// Undoes schemas 18 to 28 of SQLite.
    static let without18 =
        without19 + """
            alter table decision drop column known_release;
            drop table recent_install_set;
            alter table over_limit rename to beyond;
            drop index leak_unindexed;
            alter table leak rename column is_unindexed to moving;
            create index leak_moving on leak (app) where moving = 1;

            """

    /// Undoes schemas 14 to 28 of SQLite, except that the table `app` keeps its columns and its constraint.
    static let without14 =
        without18 + """
            drop table release_hour;
            drop index leak_slow;
            alter table credential drop column environments;
            alter table build drop column session_buckets;
            alter table build drop column leaky_buckets;
            alter table leak_build drop column buckets;
            drop table build_check;
            create table release_check (
              release integer not null references release, class text not null, checks integer not null,
              primary key (release, class)) without rowid;
            """

    /// Undoes schemas 27 to 32 of PostgreSQL.
    static let without27 = [
        "drop table channel, event, event_mark",
        "drop table app_rules", "drop table leak_merge, leak_merge_release, leak_merge_sample",
        "alter table leak drop column first_order",
        "drop table discarded_leak", "alter table app drop column made_at, drop column is_shared",
        "alter table release drop column made_by, drop column made_at, drop column is_shared",
        "alter table build drop column made_by, drop column made_at",
        "alter table leak drop column made_by, drop column made_at, drop column is_shared",
    ]

    /// Undoes schemas 25 to 30 of PostgreSQL.
    static let without25 =
        without27 + ["drop table audit", "alter table credential drop column role"]

    /// Undoes schemas 24 to 30 of PostgreSQL.
    static let without24 =
        without25 + [
            "alter table build drop column has_lower", "alter table leak drop column first_build",
        ]

    /// Undoes schemas 23 to 30 of PostgreSQL.
    static let without23 = without24 + ["alter table decision drop column known_build"]

    /// Undoes schemas 22 to 30 of PostgreSQL.
    static let without22 = without23 + ["alter table decision drop column build, drop column build_from"]

    /// Undoes schemas 21 to 30 of PostgreSQL.
    static let without21 = without22 + ["alter table decision_release drop column hour_reports"]

    /// Undoes schemas 20 to 30 of PostgreSQL.
    static let without20 =
        without21 + [
            "alter table decision drop column known_release", "drop table recent_install_set",
            "alter table over_limit rename to beyond",
            "alter table commit_marker rename to witness",
        ]

    /// Creates the table that schema 16 of PostgreSQL drops.
    static let createReleaseCheckSQL = """
        create table release_check (
          release bigint not null, class text collate "C" not null, checks bigint not null, primary key (release, class))
        """
}
