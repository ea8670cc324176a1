#if PostgreSQL
    internal import LeakStore

    /// An SQL condition that is true if the texts of a leak contain a searched text.
    struct SearchCondition {
        /// The way in which a query reads the texts of leaks.
        enum Reading {
            /// Reads the texts of each leak by its row, for a query that looks at few leaks.
            case one
            /// Reads all texts, and looks up the leaks with the searched text: few leaks have it.
            case few
            /// Reads all texts, and keeps the leaks with the searched text.
            case some
            /// Reads all texts, and leaves out the leaks without the searched text: most leaks have it.
            case most
        }

        let search: String

        /// - Parameter id: SQL for the row ID of the leak.
        func sql(ofLeak id: String, texts reading: Reading, values: inout QueryValues) -> String {
            let textMatches = textCondition(&values)
            switch reading {
            case .one: return "exists (select 1 from leak_text t where t.leak = \(id) and (\(textMatches)))"
            case .few: return "\(id) = any(array(select t.leak from leak_text t where \(textMatches)))"
            // A hash table takes less time than a join, whose rows have all columns of the leak.
            case .some: return "(\(id) in (select t.leak from leak_text t where \(textMatches))) is true"
            case .most:
                return
                    "(\(id) in (select t.leak from leak_text t where (\(textMatches)) is not true)) is not true"
            }
        }

        private func textCondition(_ values: inout QueryValues) -> String {
            let foldedText = SearchText.folded(search)
            let text = values.bind(foldedText)
            // The columns have the collation C, whose `lower` changes ASCII letters only.
            let qualifiedNameMatches = """
                strpos(lower((t.module || '.' || (select class from leak where id = t.leak)) collate "default"), \(text)) > 0
                """
            var conditions = ["strpos(t.search, \(text)) > 0", "strpos(t.message, \(text)) > 0"]
            if foldedText.contains(".") {
                // Module and class are separate lines in `search`, so a text with a dot may span both.
                let part = foldedText.split(separator: ".").max { $0.utf8.count < $1.utf8.count } ?? ""
                conditions.append(
                    "strpos(t.search, \(values.bind(String(part)))) > 0 and \(qualifiedNameMatches)")
            }
            conditions.append(
                """
                octet_length(t.stack) + octet_length(t.children) + octet_length(t.cycle) > \(SearchText.maxPathBytes)
                and (\(qualifiedNameMatches) or strpos(lower(encode(t.stack || t.children || t.cycle, 'escape')),
                  lower(encode(convert_to(\(text), 'UTF8'), 'escape'))) > 0)
                """)
            return conditions.joined(separator: " or ")
        }
    }
#endif
