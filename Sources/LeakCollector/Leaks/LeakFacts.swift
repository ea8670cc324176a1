import LeakStore

/// The facts about one leak: its counts, its rate, its versions, and the times it was seen.
struct LeakFacts: Component {
    var context: PageContext
    var row: LeakRow

    var html: HTML {
        #"<dl class="facts">\#(facts)</dl>"#
    }

    private var facts: [HTML] {
        var facts = [Fact("\(Count(row.reports))", row.reports == 1 ? "report" : "reports").html]
        facts.append(
            Fact("\(Count(installs: row.installs))", row.installs == 1 ? "install" : "installs").html)
        facts.append(
            Fact(
                "\(Count(installs: row.impact))",
                "impact: installs in the current release in the last \(RecentInstalls.days) days"
            ).html)
        if let rate = LeakRate(row: row) { facts.append(Fact(rate.html, "rate").html) }
        if let alive = row.maxAlive {
            facts.append(Fact("\(Count(alive))", "highest number of objects alive at once").html)
        }
        if row.freed > 0 { facts.append(FreedFact(freedCount: row.freed, lived: row.lived).html) }
        facts.append(
            Fact("\(VersionSpan(row: row))", row.firstVersion == row.lastVersion ? "version" : "versions")
                .html)
        facts.append(
            Fact(
                "\(context.relativeTime(row.firstSeen).dayElement) – \(context.relativeTime(row.lastSeen))",
                "first and last seen"
            ).html)
        return facts
    }
}

/// A labelled value of a leak or a class.
struct Fact: Component {
    var value: HTML
    var meaning: HTML

    init(_ value: HTML, _ meaning: HTML) {
        self.value = value
        self.meaning = meaning
    }

    var html: HTML { "<div><dt>\(meaning)</dt><dd>\(value)</dd></div>" }
}

/// Number of objects that were freed after they had been reported, and how long they stayed in memory.
struct FreedFact: Component {
    var freedCount: Int
    var lived: Percentiles?

    var html: HTML {
        let lived: HTML? = lived.map { lived in
            ": median \(DurationText(milliseconds: lived.p50)), 90\u{A0}% within \(DurationText(milliseconds: lived.p90))"
        }
        return Fact("\(Count(freedCount))", "freed late\(lived)").html
    }
}
