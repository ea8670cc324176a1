import LeakStore

/// The card of the most similar leaks, each with the difference from this leak.
struct SimilarLeaksCard: Component {
    var leaks: [SimilarLeak]
    var links: Links

    var html: HTML {
        let rows = leaks.map { similar -> HTML in
            let leak = similar.leak
            return #"""
                <tr><th scope="row"><a href="\#(links.to(.leak(leak.id)))">\#(LongText(leak.title))</a>\#
                <p class="dim">\#(IsolatedText(similar.difference))</p></th><td class="num">\#(Count(leak.reports))</td></tr>
                """#
        }
        return Card(
            "Similar leaks",
            #"""
            <table class="small"><thead><tr><th scope="col">Leak and difference</th>\#
            <th scope="col" class="num">Reports</th></tr></thead><tbody>\#(rows)</tbody></table>
            """#, id: "closest"
        ).html
    }
}
