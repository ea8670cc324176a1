import LeakStore

/// The numbers of one leak.
struct LeakFacts: Component {
    var context: PageContext
    var row: LeakRow

    var html: HTML {
        #"<dl class="facts">\#(facts)</dl>"#
    }

    private var facts: [HTML] {
        var facts = [fact("\(Count(row.reports))", row.reports == 1 ? "report" : "reports")]
        facts.append(fact("\(Count(row.installs))", row.installs == 1 ? "install" : "installs"))
        if let share = row.share?.shown {
            facts.append(fact("\(share)", "of its \(Kind.checks(row.identity.kind)) leak"))
        }
        if let alive = row.aliveAtMost { facts.append(fact("\(Count(alive))", "alive at most")) }
        if row.freed > 0 { facts.append(FreedFact(freed: row.freed, lived: row.lived).html) }
        facts.append(
            fact("\(VersionSpan(row: row))", row.firstVersion == row.lastVersion ? "version" : "versions"))
        facts.append(
            fact(
                "\(context.moment(row.firstSeen).dayElement) – \(context.moment(row.lastSeen))",
                "first and last seen"))
        return facts
    }

    private func fact(_ value: HTML, _ meaning: HTML) -> HTML {
        "<div><dt>\(meaning)</dt><dd>\(value)</dd></div>"
    }
}

/// How many objects went later, and how soon.
struct FreedFact: Component {
    var freed: Int
    var lived: Percentiles?

    var html: HTML {
        let lived: HTML? = lived.map { lived in
            ": half within \(Lapse(milliseconds: lived.p50)), 90\u{A0}% within \(Lapse(milliseconds: lived.p90))"
        }
        return "<div><dt>freed later\(lived)</dt><dd>\(Count(freed))</dd></div>"
    }
}
