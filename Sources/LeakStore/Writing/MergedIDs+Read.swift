extension MergedIDs {
    /// Reads the ids of all merges by hand.
    package static var stored: StoreRead<MergedIDs> {
        enum Column: Int32, QueryColumn {
            case source, sourceModule, id, app, environment, kind, className, title, module
        }
        return StoreRead(
            """
            select m.source, m.module as source_module, l.key as id, a.name as app, a.environment, l.kind,
              l.class as class_name, t.title, t.module
            from leak_merge m join leak l on l.id = m.leak join leak_text t on t.leak = l.id join app a on a.id = l.app
            """, [], into: MergedIDs()
        ) { (row: NamedRow<Column>, merged) throws(StoreError) in
            // The target exists, so that its other texts are never written.
            let target = LeakIdentity(
                id: try row.id(.id), app: row.text(.app), environment: row.text(.environment),
                kind: row.text(.kind),
                className: row.optionalText(.className), module: row.optionalText(.module),
                title: row.text(.title),
                stack: [], children: [], cycle: [], quality: .full,
                groupingKey: GroupingKey(version: 1, className: "", stack: []))
            merged.add(try row.id(.source), module: row.text(.sourceModule), target: target)
        }
    }
}
