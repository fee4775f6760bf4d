//! What the demo's coaches and clients say to each other.

use serde_json::{Value, json};
use spotter_contract::Actor;
use spotter_kernel::{
    Result, Timestamp,
    id::{ClientId, CoachId},
};
use spotter_store::Tx;

use super::history::{DAYS, DemoBuilder, MembershipSpan};

/// One of this many clients writes with a coach.
const WRITES: usize = 9;

/// Conversations: who begins, and the messages in turn.
const TALKS: &[(bool, &[&str])] = &[
    (
        true,
        &[
            "How did Tuesday feel?",
            "Heavy, but good. My legs are still sore.",
            "That will pass. Take it easy on Thursday.",
        ],
    ),
    (
        false,
        &[
            "Can I move Friday to Saturday?",
            "Of course. Same time?",
            "Yes please!",
            "Done. See you then.",
        ],
    ),
    (
        true,
        &[
            "You have earned a new squat record. Well done!",
            "Thank you! I did not expect that so soon.",
        ],
    ),
    (
        false,
        &[
            "I have a cold. Should I train?",
            "Rest until the fever is gone, then a light session.",
            "Thanks, will do.",
        ],
    ),
    (
        true,
        &[
            "Your new programme starts on Monday. Have a look at week one.",
            "Looks great. What are the pause squats for?",
            "For the bottom position. Two seconds, then up.",
        ],
    ),
    (
        false,
        &[
            "Which shoes do you recommend for running?",
            "Come by the shop on Main Street and say we sent you.",
        ],
    ),
    (
        true,
        &[
            "We miss you! Shall we plan something this week?",
            "Busy at work. Next week for sure.",
            "Deal.",
        ],
    ),
];

/// Messages of the groups.
const GROUP_TALK: &[&str] = &[
    "Saturday at nine, by the bridge. Bring water.",
    "I will be there!",
    "Me too.",
    "Can I bring a friend?",
    "Everybody is welcome.",
    "What a morning. Thank you all!",
];

/// A message: when, by whom, in which conversation.
struct Line {
    at: Timestamp,
    by: Actor,
    conversation: Value,
    text: &'static str,
}

impl DemoBuilder {
    /// Lets those who write with their coach do so, and the groups talk.
    pub(super) fn talk(&self, tx: &mut Tx<'_>, stays: &[MembershipSpan]) -> Result<()> {
        let mut lines = Vec::new();
        for (number, stay) in stays.iter().enumerate().step_by(WRITES) {
            if let Some(client) = self.clients[number].filter(|_| stay.left >= DAYS) {
                let coach = self.coaches[if number == 0 { 3 } else { 3 + number % 9 }];
                self.chat(tx, client, coach, stay, &mut lines)?;
            }
        }
        self.gather_runners(tx, stays, &mut lines)?;
        lines.sort_by_key(|line| line.at);
        for Line { at, by, conversation, text } in lines {
            let path = [("conversationId", conversation)];
            self.request(tx, by, at, "send_message", &path, json!({"text": text}))?;
        }
        Ok(())
    }

    /// A direct conversation with some talks in it, the last of them not long ago.
    fn chat(
        &self,
        tx: &mut Tx<'_>,
        client: ClientId,
        coach: CoachId,
        stay: &MembershipSpan,
        lines: &mut Vec<Line>,
    ) -> Result<()> {
        let dice = &self.dice;
        let (as_client, as_coach) = (self.client_actor(client), self.coach_actor(coach));
        let opened = self.at(stay.joined + 2, 600 + dice.below(300));
        let body = json!({"conversationType": "direct", "userIds": [client]});
        let made = self.request(tx, as_coach.clone(), opened, "open_conversation", &[], body)?;
        let conversation = &made["conversation"]["conversationId"];
        let span = (DAYS - stay.joined - 3).max(1) as u64;
        for number in 0..2 + dice.below(5) {
            let back = if number == 0 { 1 } else { dice.below(span) as i64 };
            let mut at = self.at(DAYS - back - 1, 480 + dice.below(600));
            let (coach_begins, submitted) = *dice.pick(TALKS);
            for (turn, text) in submitted.iter().enumerate() {
                let by = if (turn % 2 == 0) == coach_begins { &as_coach } else { &as_client };
                let (by, conversation) = (by.clone(), conversation.clone());
                lines.push(Line { at, by, conversation, text });
                at = at.plus_seconds(60 + dice.below(3_600) as i64);
            }
        }
        Ok(())
    }

    /// A group of a coach with some clients.
    fn gather_runners(
        &self,
        tx: &mut Tx<'_>,
        stays: &[MembershipSpan],
        lines: &mut Vec<Line>,
    ) -> Result<()> {
        let stayed = stays.iter().zip(&self.clients).filter(|(stay, _)| stay.left >= DAYS);
        let members: Vec<ClientId> = stayed.filter_map(|(_, client)| *client).take(14).collect();
        let coach = self.coach_actor(self.coaches[3]);
        let body = json!({"conversationType": "group", "name": "Saturday runners",
            "description": "Ten easy kilometres, every week", "userIds": members});
        let made = self.request(
            tx,
            coach.clone(),
            self.at(DAYS - 60, 600),
            "open_conversation",
            &[],
            body,
        )?;
        let conversation = &made["conversation"]["conversationId"];
        for week in 1..8 {
            for (turn, text) in GROUP_TALK.iter().enumerate() {
                let by = match turn {
                    0 | 4 => coach.clone(),
                    _ => self.client_actor(*self.dice.pick(&members)),
                };
                let at = self.at(DAYS - 7 * week, 600 + 40 * turn as u64);
                lines.push(Line { at, by, conversation: conversation.clone(), text });
            }
        }
        Ok(())
    }

    pub(super) fn client_actor(&self, id: ClientId) -> Actor {
        Actor::Client { id, session: self.company.0 }
    }
}
