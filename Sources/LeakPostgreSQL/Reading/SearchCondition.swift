#if PostgreSQL
    internal import LeakStore

    /// Condition that a text is found in the texts of a leak.
    struct SearchCondition {
        /// The way in which texts are read.
        enum Reading {
            /// By the leak: few are looked at.
            case one
            /// All, to look up the leaks with the text: few have it.
            case few
            /// All, to keep the leaks with the text.
            case some
            /// All, to leave out the leaks without it: most have it.
            case most
        }

        let search: String

        /// - Parameter id: the row of the leak.
        func sql(ofLeak id: String, texts reading: Reading, values: inout QueryValues) -> String {
            let found = found(&values)
            switch reading {
            case .one: return "exists (select 1 from leak_text t where t.leak = \(id) and (\(found)))"
            case .few: return "\(id) = any(array(select t.leak from leak_text t where \(found)))"
            // A table of hashes takes less time than a join, whose rows have all columns of the leak.
            case .some: return "(\(id) in (select t.leak from leak_text t where \(found))) is true"
            case .most:
                return "(\(id) in (select t.leak from leak_text t where (\(found)) is not true)) is not true"
            }
        }

        private func found(_ values: inout QueryValues) -> String {
            let folded = SearchText.folded(search)
            let text = values.bind(folded)
            let qualified = """
                strpos(lower(t.module || '.' || (select class from leak where id = t.leak)), \(text)) > 0
                """
            var conditions = ["strpos(t.search, \(text)) > 0", "strpos(t.message, \(text)) > 0"]
            if folded.contains(".") {
                // Module and class are lines of their own in the text of a search.
                let part = folded.split(separator: ".").max { $0.utf8.count < $1.utf8.count } ?? ""
                conditions.append("strpos(t.search, \(values.bind(String(part)))) > 0 and \(qualified)")
            }
            conditions.append(
                """
                octet_length(t.stack) + octet_length(t.children) + octet_length(t.cycle) > \(SearchText.pathBytes)
                and (\(qualified) or strpos(lower(encode(t.stack || t.children || t.cycle, 'escape')),
                  lower(encode(convert_to(\(text), 'UTF8'), 'escape'))) > 0)
                """)
            return conditions.joined(separator: " or ")
        }
    }
#endif
