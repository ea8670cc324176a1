#if DEBUG && canImport(UIKit) && !os(watchOS)
    internal import UIKit

    /// A controller that shows one alert. It holds strings and a picture, and no reference to the leaked object.
    final class AlertController: UIViewController {
        var text: String { didSet { textLabel.text = text } }

        private let heading: String
        private let picture: UIImage?
        private let close: @MainActor () -> Void
        private let textLabel = UILabel()

        init(_ alert: AlertPresenter.Alert, picture: UIImage?, close: @escaping @MainActor () -> Void) {
            heading = alert.title
            text = alert.text
            self.picture = picture
            self.close = close
            super.init(nibName: nil, bundle: nil)
        }

        @available(*, unavailable)
        required init?(coder: NSCoder) { nil }

        override func viewDidLoad() {
            super.viewDidLoad()
            let headingLabel = UILabel()
            headingLabel.text = heading
            headingLabel.font = .preferredFont(forTextStyle: .headline)
            textLabel.text = text
            textLabel.font = .preferredFont(forTextStyle: .footnote)
            for label in [headingLabel, textLabel] {
                label.textColor = .white
                label.numberOfLines = 0
            }
            let button = UIButton(
                type: .system, primaryAction: UIAction(title: "OK") { [close] _ in close() })
            let pictures = picture.map { [UIImageView(image: $0)] } ?? []
            for picture in pictures {
                picture.contentMode = .scaleAspectFit
                picture.setContentCompressionResistancePriority(.defaultLow, for: .vertical)
            }
            // Without the button users cannot close the alert: where room is short, the picture gives way first, then the text.
            button.setContentCompressionResistancePriority(.required, for: .vertical)
            show([headingLabel, textLabel] + pictures + [button])
        }

        private func show(_ parts: [UIView]) {
            let card = UIStackView(arrangedSubviews: parts)
            card.axis = .vertical
            card.spacing = 12
            card.isLayoutMarginsRelativeArrangement = true
            card.layoutMargins = UIEdgeInsets(top: 16, left: 16, bottom: 16, right: 16)
            card.backgroundColor = UIColor(white: 0.15, alpha: 1)
            card.layer.cornerRadius = 12
            card.translatesAutoresizingMaskIntoConstraints = false
            view.backgroundColor = UIColor(white: 0, alpha: 0.4)
            view.addSubview(card)
            let area = view.safeAreaLayoutGuide
            NSLayoutConstraint.activate([
                card.centerXAnchor.constraint(equalTo: area.centerXAnchor),
                card.centerYAnchor.constraint(equalTo: area.centerYAnchor),
                card.widthAnchor.constraint(lessThanOrEqualTo: area.widthAnchor, constant: -32),
                card.heightAnchor.constraint(lessThanOrEqualTo: area.heightAnchor, constant: -32),
            ])
        }
    }
#endif
