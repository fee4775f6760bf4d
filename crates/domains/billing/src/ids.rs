//! What the records of finance are called by.

use spotter_kernel::id_type;
use spotter_store::stored_ids;

id_type!(
    /// Invoice or credit note.
    InvoiceId,
    RequestInvalid
);
id_type!(
    /// A payment.
    PaymentId,
    RequestInvalid
);
id_type!(
    /// A refund.
    RefundId,
    RequestInvalid
);
id_type!(
    /// A request to pay.
    PaymentRequestId,
    RequestInvalid
);
id_type!(
    /// A card or an account of a client.
    PaymentMethodId,
    RequestInvalid
);
id_type!(
    /// A request to leave a card or an account.
    PaymentSetupId,
    RequestInvalid
);
id_type!(
    /// Money that a client's bank takes back.
    ChargebackId,
    InvalidChargebackId,
    ChargebackNotFound
);
id_type!(
    /// What a client was sold.
    ClientProductId,
    InvalidClientProductId,
    ClientProductNotFound
);
id_type!(
    /// A membership that a client was sold.
    SubscriptionId,
    RequestInvalid
);
id_type!(
    /// A wish to pause or to cancel a membership.
    SubscriptionRequestId,
    RequestInvalid
);
id_type!(
    /// Credits that were given together.
    CreditLotId,
    RequestInvalid
);
id_type!(
    /// A change of credits.
    CreditEntryId,
    RequestInvalid
);
stored_ids!(
    InvoiceId PaymentId RefundId PaymentRequestId PaymentMethodId PaymentSetupId ChargebackId ClientProductId SubscriptionId SubscriptionRequestId CreditLotId CreditEntryId
);
