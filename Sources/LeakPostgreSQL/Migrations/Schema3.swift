#if PostgreSQL
    extension Migration {
        /// Version 3: what one device alone has seen is not an app's newest release, where others are in the field.
        static let schema3 = Migration(
            version: 3,
            // The rule of then, whatever NewestVersion says by now.
            statements: [
                #"""
                update app set newest_release = (select id from release where app = app.id
                  order by (order_key >= '\x02'::bytea and (installs >= 2 or sessions >= 100)) desc, order_key desc limit 1)
                """#,
                """
                update leak l set impact = i.installs
                from (select l.id as leak, coalesce(c.installs, 0) as installs from app a join leak l on l.app = a.id
                  left join leak_release c on c.leak = l.id and c.release = a.newest_release) i
                where i.leak = l.id and l.impact <> i.installs
                """,
            ])
    }
#endif
