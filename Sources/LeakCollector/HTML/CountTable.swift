/// Names with their counts, each with a bar for the first of them.
struct CountTable: Component {
    struct Row {
        var name: String
        /// As many as there are heads after the first.
        var counts: [Int]
        /// What the longest bar stands for.
        var most: Int
    }

    var heads: [String]
    var rows: [Row]

    var html: HTML {
        let head = heads.enumerated().map { index, title -> HTML in
            index == 0 ? #"<th scope="col">\#(title)</th>"# : #"<th scope="col" class="num">\#(title)</th>"#
        }
        return #"""
            <table class="small"><thead><tr>\#(head)<td></td></tr></thead><tbody>\#(rows.map { row($0) })</tbody></table>
            """#
    }

    private func row(_ row: Row) -> HTML {
        let cells = row.counts.map { #"<td class="num">\#(Count($0))</td>"# as HTML }
        let bar = ShareBar(part: row.counts.first ?? 0, whole: row.most)
        return #"<tr><th scope="row">\#(Isolated(row.name))</th>\#(cells)<td class="share">\#(bar)</td></tr>"#
    }
}
