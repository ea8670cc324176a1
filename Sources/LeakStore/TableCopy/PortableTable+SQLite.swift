extension PortableTable {
    /// All tables. A new column that both stores have must be added here.
    package static let all = [
        PortableTable(
            "app",
            [
                .number("id"), .text("name"), .text("environment"), .number("last_seen"),
                .number("made_by"), .number("made_at"), .number("is_shared"), .number("newest_release"),
                .number("pinned_release"),
                .text("pinned_by"), .number("pinned_at"),
                .count("leaks"), .count("text_bytes"), .count("cells"),
                .count("reports"), .count("freed"),
            ]),
        PortableTable("over_limit", [.number("app"), .text("name"), .count("count")]),
        PortableTable(
            "release",
            [
                .number("id"), .number("app"), .text("version"), .bytes("order_key"), .number("first_seen"),
                .number("last_seen"), .count("leaks"), .count("new_leaks"), .count("reports"),
                .count("freed"), .count("installs"), .count("sessions"), .count("leaky_sessions"),
                .count("checks"), .number("made_by"), .number("made_at"), .number("is_shared"),
            ]),
        PortableTable(
            "recent_install_set",
            from: """
                (select c.leak, c.release, s.installs, s.day, s.members
                 from recent_install_set s join leak_release c on c.id = s.id)
                """,
            [
                .number("leak"), .number("release"), .count("installs"), .number("day"), .bytes("members"),
            ]),
        PortableTable(
            "release_hour",
            [
                .number("app"), .number("hour"), .number("release"), .count("sessions"), .count("reports"),
                .number("bucket"),
            ]),
        PortableTable(
            "build",
            [
                .number("id"), .number("release"), .text("name"), .bytes("order_key"),
                .buckets("session_buckets"), .buckets("leaky_buckets"), .number("has_lower"),
                .number("made_by"), .number("made_at"),
            ]),
        PortableTable(
            "build_check", [.number("build"), .text("class"), .count("checks"), .buckets("buckets")]),
        // PostgreSQL stores the number of builds, the last hour and the times of samples in the row; SQLite computes them from
        // other tables.
        PortableTable(
            "leak",
            [
                .number("id"), .key("key"), .number("app"), .text("kind"), .text("class"), .text("quality"),
                .number("state"),
                .count("builds", "(select count(*) from leak_build b where b.leak = leak.id)"),
                .count("impact"),
                .count("reports"), .count("freed"), .count("installs"), .count("sightings"),
                .number("alive_at_most"), .count("retained_bytes"), .number("first_seen"),
                .number("last_seen"),
                .number("first_release"), .bytes("first_order"), .number("last_release"),
                .number("first_build"),
                .number("last_hour", lastHourSQL),
                .number(
                    "first_sample",
                    "coalesce((select at from sample where id = leak.id), case when sightings > 0 then first_seen end)"
                ),
                .number("newest_sample", "(select at from sample where id = 1 << 40 | leak.id)"),
                .number("made_by"), .number("made_at"), .number("is_shared"),
            ]),
        PortableTable(
            "leak_text",
            [
                .number("leak"), .text("title"), .text("module"), .bytes("stack"), .bytes("children"),
                .bytes("cycle"), .number("grouped_version"), .text("grouped_class"), .bytes("grouped_stack"),
                .text("search"),
            ]),
        PortableTable(
            "leak_release",
            [.number("leak"), .number("release"), .count("reports"), .count("freed"), .count("installs")]),
        PortableTable(
            "leak_build",
            [
                .number("leak"), .number("build"), .count("reports"), .count("freed"), .count("installs"),
                .buckets("buckets"),
            ]),
        PortableTable(
            "leak_hour", [.number("leak"), .number("hour"), .number("release"), .count("reports")]),
        PortableTable("leak_day", [.number("leak"), .number("day"), .number("release"), .count("reports")]),
        PortableTable("leak_element", [.number("app"), .number("element"), .number("leak")]),
        PortableTable("leak_value", [.number("leak"), .number("kind"), .text("value"), .count("reports")]),
        PortableTable("leak_lived", [.number("leak"), .bytes("histogram")]),
        PortableTable(
            "sample",
            [
                .number("leak", "id & 0xFFFFFFFFFF"), .number("slot", "id >> 40"), .number("ordinal"),
                .number("at"), .text("version"), .text("build"), .text("system"), .text("model"),
                .number("install_hash"), .text("install"), .text("user"), .bytes("body", "sample_json(body)"),
            ]),
        PortableTable(
            "install_set", from: installSetsSQL,
            [.number("scope"), .number("owner"), .number("part"), .bytes("members")]),
        PortableTable("app_slot", [.number("app"), .number("slot"), .count("reports")]),
        PortableTable("app_day", [.number("app"), .number("day"), .count("reports")]),
        // Ids of decisions are never reused: `sqlite_sequence` has the last one.
        PortableTable(
            "decision", highestIDQuery: "select seq from sqlite_sequence where name = 'decision'",
            [
                .number("id"), .number("leak"), .number("at"), .text("by"), .text("kind"), .text("version"),
                .number("is_after"), .bytes("fix_from"), .number("reports_then"), .number("until_at"),
                .number("until_reports"), .text("note"), .number("known_release"), .text("build"),
                .bytes("build_from"), .number("known_build"),
            ]),
        PortableTable(
            "decision_release",
            [.number("decision"), .number("release"), .count("reports"), .count("hour_reports")]),
        // Ids of merges are never reused: `sqlite_sequence` has the last one.
        PortableTable(
            "merged_leak", highestIDQuery: "select seq from sqlite_sequence where name = 'merged_leak'",
            [.number("id"), .key("key"), .number("leak"), .number("at")]),
        PortableTable(
            "discarded_leak",
            [
                .key("key"), .key("leak"), .number("app"), .text("title"), .text("module"), .text("by"),
                .number("at"), .count("dropped"),
            ]),
        // Numbers of merges by hand are never reused either.
        PortableTable(
            "leak_merge", highestIDQuery: "select seq from sqlite_sequence where name = 'leak_merge'",
            [
                .number("id"), .number("app"), .key("source"), .text("module"), .text("title"),
                .number("leak"),
                .count("reports"), .text("by"), .number("at"), .number("made_by"), .number("made_at"),
                .number("is_shared"), .bytes("source_body"), .bytes("target_body"),
            ]),
        PortableTable(
            "leak_merge_release", [.number("merge"), .number("side"), .number("release"), .bytes("body")]),
        PortableTable(
            "leak_merge_sample",
            [
                .number("merge"), .number("side"), .number("slot"), .number("ordinal"), .number("at"),
                .text("version"), .text("build"), .text("system"), .text("model"), .number("install_hash"),
                .text("install"), .text("user"), .bytes("body", "sample_json(body)"),
            ]),
        // Ids of rules are never reused: `sqlite_sequence` has the last one.
        PortableTable(
            "app_rules", highestIDQuery: "select seq from sqlite_sequence where name = 'app_rules'",
            [
                .number("id"), .text("app"), .number("version"), .text("text"), .text("by"), .number("at"),
            ]),
        // Ids of uploads are never reused: `sqlite_sequence` has the last one.
        PortableTable(
            "symbol_table", highestIDQuery: "select seq from sqlite_sequence where name = 'symbol_table'",
            [
                .number("id"), .text("kind"), .text("image"), .text("name"), .number("uploaded_at"),
                .number("used_at"), .count("bytes"), .bytes("body"),
            ]),
        PortableTable("dropped", [.number("app"), .text("reason"), .count("count")]),
        // A key may have been stored twice, because the clock was set back. Only its later row is copied.
        PortableTable(
            "idempotency",
            from: """
                idempotency i where i.at > ?1 and not exists (select 1 from idempotency later
                  where later.day in (select day from idempotency_use where day > i.day)
                    and later.key_id = i.key_id and later.key = i.key)
                """,
            [
                .number("key_id", "i.key_id"), .bytes("key", "i.key"), .bytes("hash", "i.hash"),
                .number("at", "i.at"), .number("answer", "i.answer"),
            ]),
        PortableTable("answer", [.number("id"), .number("day"), .bytes("body")]),
        PortableTable(
            "idempotency_use",
            [
                .number("day"), .number("key_id"), .count("keys"), .count("answers"), .count("text_bytes"),
                .count("detail_bytes"),
            ]),
        PortableTable("clock", [.number("id"), .number("wall"), .number("keys"), .number("waited")]),
        // Ids of credentials are never reused: `sqlite_sequence` has the last one.
        PortableTable(
            "credential", highestIDQuery: "select seq from sqlite_sequence where name = 'credential'",
            [
                .number("id"), .text("purpose"), .text("name"), .bytes("hash"), .text("role"),
                .text("app"), .text("environments"), .number("created_at"), .number("expires_at"),
                .number("revoked_at"),
                .number("opened_by"),
            ]),
        // Ids of entries are never reused either.
        PortableTable(
            "audit", highestIDQuery: "select seq from sqlite_sequence where name = 'audit'",
            [
                .number("id"), .number("at"), .text("actor"), .number("token"), .text("action"),
                .text("object"), .text("details"), .text("address"),
            ]),
        // Ids of events are never reused either, so that the cursors of readers stay valid.
        PortableTable(
            "event", highestIDQuery: "select seq from sqlite_sequence where name = 'event'",
            [
                .number("id"), .number("at"), .text("kind"), .text("app"), .text("environment"),
                .text("version"), .text("build"), .text("key"), .key("leak"), .text("title"), .text("text"),
                .text("details"), .number("is_silent"),
            ]),
        PortableTable("event_mark", [.number("app"), .text("state")]),
        PortableTable(
            "channel",
            [
                .text("key"), .number("event"), .number("hour"), .number("messages"), .number("sender"),
                .number("claimed_until"),
            ]),
    ]

    /// SQL for the hour of a leak's last report, or for the first hour of its day if the hours were deleted.
    private static let lastHourSQL = """
        (select max(hour) from (
          select h.hour from leak_hour h where h.leak = leak.id and h.reports > 0
          union all select d.day * 24 from leak_day d where d.leak = leak.id and d.reports > 0))
        """

    /// SQL for the sets of installs. The scope says which installs a set contains. 0: those of the leak `owner`; 1: those of
    /// the leak `owner` in the build `part`; 2: those of the leak `owner` in the release `part`; 3: those of the release
    /// `owner`; 4: those of the app `owner` in the ten-minute slot `part`; 5: those of the app `owner` on the day `part`. In
    /// SQLite, a leak (or a leak in a release) that was seen in only one build uses the set of the build; this query gives it a
    /// set of its own.
    private static let installSetsSQL = """
        (select 0 as scope, id >> 3 as owner, 0 as part, members from install_set where id & 7 = 0
        union all
        select 0, l.id, 0, i.members from leak l join leak_build b on b.leak = l.id
          join install_set i on i.id = b.id << 3 | 1
          where not exists (select 1 from install_set where id = l.id << 3)
        union all
        select 1, b.leak, b.build, i.members from leak_build b join install_set i on i.id = b.id << 3 | 1
        union all
        select 2, c.leak, c.release, i.members from leak_release c join install_set i on i.id = c.id << 3 | 4
        union all
        select 2, c.leak, c.release, i.members from leak_release c join build n on n.release = c.release
          join leak_build b on b.leak = c.leak and b.build = n.id join install_set i on i.id = b.id << 3 | 1
          where not exists (select 1 from install_set where id = c.id << 3 | 4)
        union all
        select 3, id >> 3, 0, members from install_set where id & 7 = 2
        union all
        select 4, s.app, s.slot, i.members from app_slot s join install_set i on i.id = s.id << 3 | 3
        union all
        select 5, d.app, d.day, i.members from app_day d join install_set i on i.id = d.id << 3 | 5)
        """
}
