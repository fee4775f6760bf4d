//! Ids of billing records.

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
    /// A chargeback.
    ChargebackId,
    InvalidChargebackId,
    ChargebackNotFound
);
id_type!(
    /// A purchase of a client.
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
    /// A request to pause or cancel a membership.
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
