// Written by npm run docs from docs/openapi.json; edit the routes instead.

export type AbsenceCause = {
  /** Cause: `unknown_source`: the model does not know the source; `unknown_target`: the model does not know the target; `not_an_item`: the target is known, but is not an item, for example a user; `same_item`: source and target are the same item; `unavailable`: the target was deleted, or sent with `available: false`; `seen`: the target is in the history of the source; `disliked`: the source rejected the target; `wrong_type`: the list does not have the type of the target; `filtered`: `clause` of the filter, or of the filter of `rule`, is not true; `below_threshold`: the score is below `threshold`; `beyond_limit`: the rank is larger than `max_recommendations`; `no_common_users`: nobody connects the target with the source, and the target is not near enough by attributes; `not_among_nearest`: people connect the target with the source, but the model keeps other items, which are nearer; `outweighed`: the history leads to the target, but rejected items and negative relations take away as much or more; `not_trending`: the list has trending items, and the target has no more interactions than usual. */
  code: "unknown_source" | "unknown_target" | "not_an_item" | "same_item" | "unavailable" | "seen" | "disliked" | "wrong_type" | "filtered" | "below_threshold" | "beyond_limit" | "no_common_users" | "not_among_nearest" | "outweighed" | "not_trending";
  /** The cause as a sentence, with its values. */
  text: string;
  /** Only for filtered: the part of the filter that is not true. */
  clause?: string;
  /** Only for filtered: the rule whose filter has this part. Absent for the filter of the query. */
  rule?: string;
};

export type AcceptedMessage = {
  /** 0. */
  code: number;
  /** `ok`. */
  msg: string;
  data: {
    /** For GET /gateway/requests/{request_id}. */
    request_id: string;
    /** `verified`, or the current status of a repeated message. */
    status: string;
    /** Null until the transaction is sent. */
    tx_hash: string | null;
    /** How the gateway interpreted a value that is easily mistaken. */
    note?: string;
  } | null;
};

export type ApiKey = {
  key_id: string;
  name: string;
  /** First characters of the key; empty for the key of VOUCH_ADMIN_KEY. */
  prefix: string;
  scopes: ("data:read" | "data:write" | "model:read" | "model:train" | "recommend:read" | "recommend:publish" | "video:read" | "video:write" | "admin")[];
  status: "valid" | "expired" | "revoked";
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
};

export type ApiKeyRequest = {
  /** Purpose of the key. */
  name: string;
  /** Rights of the key; `admin` includes all. */
  scopes: ("data:read" | "data:write" | "model:read" | "model:train" | "recommend:read" | "recommend:publish" | "video:read" | "video:write" | "admin")[];
  /** Days until the key expires. Default: never. */
  expires_in_days?: number | null;
};

/** Record of one uploaded file. */
export type Batch = {
  /** Identifier assigned at the upload. */
  batch_id: string;
  /** Time of the upload, ISO 8601. */
  timestamp: string;
  /** Labels given at the upload. */
  tags: string[];
  /** Rows of an entity file, else 0. */
  entity_count: number;
  /** Number of rows of an interaction file; 0 for an entity file. */
  interaction_count: number;
};

export type BudgetChangeRequest = {
  /** Ethereum address of a signer or number of a license. Default: all of the scope. */
  subject?: string | null;
  /** Gas per day by kind of message; null restores the default. */
  gas: {
    enter?: number | null;
    exit?: number | null;
    commission?: number | null;
    claimer?: number | null;
    report?: number | null;
  };
};

export type BudgetUse = {
  /** `signer`, `license` or `total`. */
  scope: "signer" | "license" | "total";
  /** Ethereum address of the signer or number of the license; null for the total. */
  subject: string | null;
  /** Kind of message. */
  kind: "enter" | "exit" | "commission" | "claimer" | "report";
  gas_per_day: number;
  /** Gas in the receipts of confirmed transactions. */
  spent: number;
  /** Gas reserved for pending messages. */
  reserved: number;
  left: number;
};

export type Budgets = {
  /** UTC. */
  day: string;
  ends_at: string;
  /** Gas per day for each signer or license without a budget of its own. */
  budgets: {
    signer: GasByKind;
    license: GasByKind;
    total: GasByKind;
  };
  /** Budgets of individual signers and licenses. */
  own: {
    scope: string;
    subject: string;
    /** Kind of message. */
    kind: "enter" | "exit" | "commission" | "claimer" | "report";
    gas_per_day: number;
    changed_at: string;
  }[];
  /** Gas used by all messages together, by kind. */
  total: BudgetUse[];
  /** The signers and licenses that used the most gas, or the requested ones. */
  most_used: BudgetUse[];
  /** Gas of maintenance transactions, which the gateway sends for nodes without a message. */
  keeper: MaintenanceBudgetUse[];
};

export type ChangedList = {
  id: string;
  name: string | null;
  overlap: number;
  /** First items of the list of a. */
  a: string[];
  /** First items of the list of b. */
  b: string[];
};

export type ClaimerRequest = {
  /** Ethereum address that receives the rewards. 40 hex digits after 0x. */
  claimer: string;
  /** Seconds since 1970; at least one minute and by default at most six hours after the time of the chain. */
  expired_at: number;
  /** Ethereum address of the signer. 40 hex digits after 0x. */
  signer: string;
  /** 27 or 28. */
  v: number;
  /** 64 hex digits. */
  r: string;
  /** 64 hex digits; the value must be in the lower half of its range. */
  s: string;
};

export type CommissionRequest = {
  /** Commission in hundredths of a percent: 500 is 5 %. */
  commission_rate: number;
  /** Seconds since 1970; at least one minute and by default at most six hours after the time of the chain. */
  expired_at: number;
  /** Ethereum address of the signer. 40 hex digits after 0x. */
  signer: string;
  /** 27 or 28. */
  v: number;
  /** 64 hex digits. */
  r: string;
  /** 64 hex digits; the value must be in the lower half of its range. */
  s: string;
};

export type ComparedLists = {
  /** Sampled users or items that both know. */
  compared: number;
  /** Sampled users or items of a that b does not know. */
  unknown_to_b: number;
  mean_overlap: number | null;
  /** Lists with the same items in the same order. */
  identical: number;
  /** Lists with the smallest overlap. */
  most_changed: ChangedList[];
};

export type ComparedModel = {
  model_id: string;
  version: number;
  /** Users with a history in the training. */
  users: number;
  /** Items that lists can contain. */
  items: number;
  /** Share of the items that occur in the lists of the sampled users. */
  coverage: number;
  novelty: number | null;
};

export type CreatedApiKey = {
  key_id: string;
  name: string;
  /** First characters of the key; empty for the key of VOUCH_ADMIN_KEY. */
  prefix: string;
  scopes: ("data:read" | "data:write" | "model:read" | "model:train" | "recommend:read" | "recommend:publish" | "video:read" | "video:write" | "admin")[];
  status: "valid" | "expired" | "revoked";
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  /** The key, shown in this answer only. */
  key: string;
};

export type Delivery = {
  /** Sent as `webhook-id`; every attempt has the same id */
  delivery_id: string;
  /** e.g. `model.training.completed` */
  type: string;
  url: string;
  /** `pending`, `delivered` or `given_up` */
  status: string;
  attempts: number;
  next_attempt_at: string | null;
  last_error: string | null;
  created_at: string;
  ended_at: string | null;
};

export type DeliveryDetail = {
  /** Sent as `webhook-id`; every attempt has the same id */
  delivery_id: string;
  /** e.g. `model.training.completed` */
  type: string;
  url: string;
  /** `pending`, `delivered` or `given_up` */
  status: string;
  attempts: number;
  next_attempt_at: string | null;
  last_error: string | null;
  created_at: string;
  ended_at: string | null;
  /** The JSON text that was signed and sent */
  body: string;
  /** The latest 100 attempts, in order of time */
  attempt_list: {
    number: number;
    started_at: string;
    duration_ms: number;
    answer_status: number | null;
    answer_body: string | null;
    error: string | null;
  }[];
};

export type Deployment = {
  /** `default` for the deployment of this answer. */
  name: string;
  /** Path prefix of the deployment for messages and for its own /gateway/info; empty for the default deployment. */
  path: string;
  /** Whether messages are accepted. */
  configured: boolean;
  chain_id: number | null;
  contract: string | null;
  domain: SigningDomain;
  /** The relayer keys, which pay the gas, and whether each key sends transactions. */
  relayers: {
    address: string;
    /** `running` or `paused`. */
    status: string;
    /** Why the key sends no new transactions: `fees`, `balance`, `chain`, `signer-unavailable` while the service that holds the key returns no signature, or `key-in-use` while the key sends for another deployment on the same chain. */
    pause_code: string | null;
  }[];
};

export type Engine = {
  backend: "ffmpeg" | "node-av";
  /** Version of FFmpeg. */
  version: string;
  analysis: "fast" | "balanced" | "accurate";
};

export type EnterRequest = {
  /** The node to replace. Used only if the active set is full; send the zero address otherwise. 40 hex digits after 0x. */
  replaced_node: string;
  /** Seconds since 1970; at least one minute and by default at most six hours after the time of the chain. */
  expired_at: number;
  /** Ethereum address of the signer. 40 hex digits after 0x. */
  signer: string;
  /** 27 or 28. */
  v: number;
  /** 64 hex digits. */
  r: string;
  /** 64 hex digits; the value must be in the lower half of its range. */
  s: string;
};

export type EntitiesRequest = {
  /** The entities, 1 to 1,000. Vouch stores all of them or none. */
  entities: EntityRequest[];
  /** Labels of the batch that the events become a part of. A training with `data_tags` uses batches that have one of its tags. At most 32 different labels. */
  tags?: string | string[] | null;
};

export type Entity = {
  id: string;
  type: string | null;
  name: string | null;
  media_url: string | null;
  /** What lists of the entity are based on: `item`, other items that are related; `user`, the history of the entity; `other`, trending items, because the entity has no interactions. */
  role: "item" | "user" | "other";
  /** For an item, the number of users who chose the item; for a user, the number of chosen items. As of the training. */
  interactions: number;
};

export type EntityRequest = {
  /** Id of the entity. A repeated id replaces the entity. At most 1,024 bytes. */
  id: string;
  /** Type of the entity. At most 1,024 bytes. */
  type: string;
  /** At most 4,096 bytes. */
  name?: string | null;
  /** A JSON object of at most 65,536 bytes, as in the column `metadata` of a CSV file. */
  metadata?: Record<string, unknown> | null;
  /** At most 4,096 bytes. */
  media_url?: string | null;
  /** Whether lists may contain the entity. Set to false for an item that is out of stock. */
  available?: boolean | null;
};

/** Value with its 95 % interval. */
export type Estimate = {
  value: number;
  low: number;
  high: number;
};

/** Offline evaluation. Null until the training completes, and if no user has two interactions, because nothing can then be held out. */
export type Evaluation = {
  "recall@20": Estimate;
  "ndcg@20": Estimate;
  /** Share of the recommendable items that are among the first 20 of at least one user. */
  coverage: number;
  popularity: {
    "recall@20": Estimate;
    "ndcg@20": Estimate;
  };
  /** Model minus popularity, for each user: the mean over users with its 95 % interval. Absent in trainings of earlier versions. */
  popularity_difference?: {
    "recall@20": Estimate;
    "ndcg@20": Estimate;
  };
  "item-knn": {
    "recall@20": Estimate;
    "ndcg@20": Estimate;
  };
  /** Users whose held-out interactions were scored. */
  users: number;
  /** Better only if the interval of one metric in `popularity_difference` is above 0 and that of the other not below 0, with at least 20 users. */
  verdict: "better than popularity" | "not better than popularity yet";
  /** Explanation of the verdict: the differences with their intervals, the number of users, and what to do if the model is not better. */
  verdict_reason: string;
};

export type EventWarning = {
  /** Stable name of the warning. */
  code: "reused-ids" | "early-timestamps" | "padded-ids" | "placeholder-ids" | "exchanged-ids" | "similar-types";
  detail: string;
};

export type EventsAnswer = {
  /** Number of events that were stored. */
  accepted: number;
  /** Number of events that had no effect, because their `id` was received before. */
  duplicates: number;
  /** Events without the intended effect, most likely. `reused-ids`: events that were not stored, because their `id` was received before with another source, target or type. `early-timestamps`: timestamps in 1970. `padded-ids`: ids with a blank at an end. `placeholder-ids`: ids that stand for a missing value, such as `null`. `exchanged-ids`: interactions whose source is an item and whose target is a user of the models that are in use. `similar-types`: types of entities that no model in use has, and that resemble one of its types. Absent if there is none. */
  warnings?: EventWarning[];
};

export type ExitRequest = {
  /** Seconds since 1970; at least one minute and by default at most six hours after the time of the chain. */
  expired_at: number;
  /** Ethereum address of the signer. 40 hex digits after 0x. */
  signer: string;
  /** 27 or 28. */
  v: number;
  /** 64 hex digits. */
  r: string;
  /** 64 hex digits; the value must be in the lower half of its range. */
  s: string;
};

/** Two arms under one id, and what decides between them. */
export type Experiment = {
  experiment_id: string;
  arms: {
    a: ExperimentArm;
    b: ExperimentArm;
  };
  /** `split`: each user gets the lists of one arm, decided by a hash of the id. `interleaved`: each list takes turns between the arms (team-draft interleaving), and an outcome counts for the arm of its item; needs fewer users, but compares only which items users choose. */
  mode: "split" | "interleaved";
  /** Share of the users in arm b, for the mode split. 0 gives all users arm a, and 1 arm b, for example after the experiment. */
  share: number;
  /** Interaction types that count as success, such as purchase. */
  outcome: string[];
  /** Days after the first answer to a user, or in the mode interleaved after an answer, in which outcomes count. */
  window_days: number;
  /** Smallest relative change of the rate that matters; 0.1 stands for a ratio of 1.1. Decides the number of users needed. */
  minimum_effect: number;
  guardrails: Guardrail[];
  /** When the definition last changed; earlier users and outcomes do not count. */
  started_at: string;
};

export type ExperimentArm = {
  model_id: string;
  filter: string | null;
  boost: string | null;
  rule: string | null;
};

export type ExperimentArmRequest = {
  /** Model of the arm. */
  model_id: string;
  /** Filter of the arm, as `filter` of POST /v1/recommender/recommend. With the filter of a request, both must be true. */
  filter?: string | null;
  /** Boost of the arm, as `boost` of POST /v1/recommender/recommend. The boost of a request multiplies it. */
  boost?: string | null;
  /** Name of a rule that applies in this arm, whether or not it is enabled, and not in the other arm. */
  rule?: string | null;
};

export type ExperimentArmResult = {
  /** Users who got an answer. In the mode interleaved, the users of both arms. */
  users: number;
  /** Users with an outcome in the window. In the mode interleaved, users whose first outcome was an item of the arm. */
  conversions: number;
  rate: Rate | null;
};

/** Only with the id of an experiment as model_id. model_id and model_version are those of the arm; of arm a if the arms share the list. */
export type ExperimentOfAnswer = {
  id: string;
  arm: "a" | "b" | null;
};

export type ExperimentRequest = {
  /** Usually a is in use, and b is new. */
  arms: {
    a: ExperimentArmRequest;
    b: ExperimentArmRequest;
  };
  /** `split`: each user gets the lists of one arm, decided by a hash of the id. `interleaved`: each list takes turns between the arms (team-draft interleaving), and an outcome counts for the arm of its item; needs fewer users, but compares only which items users choose. */
  mode?: "split" | "interleaved" | null;
  /** Share of the users in arm b, for the mode split. 0 gives all users arm a, and 1 arm b, for example after the experiment. Default: 0.5. */
  share?: number | null;
  /** Interaction types that count as success, such as purchase. */
  outcome: string[];
  /** Days after the first answer to a user, or in the mode interleaved after an answer, in which outcomes count. */
  window_days?: number | null;
  /** Smallest relative change of the rate that matters; 0.1 stands for a ratio of 1.1. Decides the number of users needed. */
  minimum_effect?: number | null;
  /** Metrics that must not become worse, for the mode split. */
  guardrails?: GuardrailRequest[] | null;
};

export type ExperimentResults = {
  experiment_id: string;
  mode: "split" | "interleaved";
  started_at: string;
  counted_until: string | null;
  arms: {
    a: ExperimentArmResult;
    b: ExperimentArmResult;
  };
  difference: RateDifference | null;
  ratio: RateRatio | null;
  users: ExperimentUsers;
  guardrails: GuardrailResult[];
  verdict: ExperimentVerdict;
  warnings: ExperimentWarning[];
};

export type ExperimentUsers = {
  reached: number;
  needed: number | null;
};

export type ExperimentVerdict = {
  /** Of b, compared with a. The verdict may be read at any time, and the experiment may end with the first one that is not `running`. */
  code: "running" | "better" | "worse" | "no_difference";
  /** The verdict as a sentence. */
  text: string;
};

export type ExperimentWarning = {
  code: "sample-ratio-mismatch" | "guardrail-broken" | "rule-deleted" | "rule-changed" | "rule-skipped" | "arm-cannot-answer";
  detail: string;
};

export type ExplainSessionRequest = {
  /** Model to query; by default the one that completed most recently. */
  model_id?: string | null;
  /** Items of a session, oldest first, with positive and negative examples. With entity_id, they follow the history of this entity. */
  history: HistoryEntryRequest[];
  /** Entity whose history the session follows. */
  entity_id?: string | null;
  /** Item to explain. */
  target_id: string;
  /** The entity types of the recommended items. Default: all types that occur as targets. */
  entity_type?: string[] | null;
  /** Expression in CEL, the Common Expression Language, that is true for the items to recommend, for example item.price < user.budget && !("horror" in item.genres). item and user have the columns id, type, name and the members of the uploaded metadata. An item without a value that decides the result is left out. */
  filter?: string | null;
  /** Expression in CEL with a number from 0 to 1000, by which the score of each item is multiplied before the list is sorted, for example "new" in item.tags ? 1.5 : 1.0. Items without a value keep their score; a score stays at most 1. The first 1000 items that pass the filter are sorted. */
  boost?: string | null;
  /** Maximum number of recommendations of the list. */
  max_recommendations?: number | null;
  /** Minimum score; 0 means no threshold. */
  threshold?: number | null;
};

export type Explanation = {
  model_id: string;
  model_version: number;
  experiment?: ExperimentOfAnswer;
  /** Names of the rules that apply to the list. Absent if no rule is in force. */
  rules?: string[];
  source_id: string | null;
  target_id: string;
  list: "related" | "history" | "trending" | null;
  /** Whether the list contains the item. */
  listed: boolean;
  rank: number | null;
  score: number | null;
  boost: number | null;
  /** The factors of the rules with a boost. */
  rule_boosts: RuleBoost[];
  /** The parts of the ranking score, as in the lists. */
  reasons: Reason[];
  /** Why the list does not contain the item, each of which alone keeps it out; empty if the list contains the item. */
  causes: AbsenceCause[];
};

/** What a preview or poster shows of the pictures of the video. Present with `aspect_ratios` or `framing`. */
export type Framing = {
  /** whole: the aspect ratio of the video; crop: a part of the picture; pad: the whole picture with black bars */
  mode: "whole" | "crop" | "pad";
  /** Share of the area of the picture that the file shows, 0–1. */
  picture_share: number;
  motion_share: number | null;
  faces_share?: number | null;
};

export type GasBill = {
  from: string;
  to: string;
  /** Before this moment, messages whose records were removed count at 00:00 UTC of the day on which they were mined; null if none was removed. */
  by_day_before: string | null;
  /** Gas of the receipts of all transactions that carried messages. */
  gas: number;
  /** Wei paid for the transactions; equals the sum of the rows. */
  wei: string;
  rows: {
    /** Chain, contract and the first digits of the hash of the first block. */
    deployment: string;
    signer: string;
    /** `enter`, `exit`, `commission`, `claimer` or `report`. */
    kind: string;
    /** Number of times that the messages were part of a transaction; a message counts twice if a second transaction had to carry it. */
    messages: number;
    gas: number;
    wei: string;
  }[];
};

export type GasByKind = {
  enter: number;
  exit: number;
  commission: number;
  claimer: number;
  report: number;
};

export type GatewayBatch = {
  batch_id: string;
  /** `claimed`, `prepared`, `sent`, `mined`, `confirmed` or `abandoned`. */
  status: string;
  /** `operations`; `filler` for a transaction that only fills a nonce gap, `activity` for reports of daily activity, `randomness` for repeated requests of random words, `conclusion` for records of how attestations ended. */
  purpose: string;
  relayer: string;
  nonce: number | null;
  operations: number;
  transaction_hash: string | null;
  block_number: number | null;
  gas_used: number | null;
  gas_alone: number | null;
  /** `gas_alone` - `gas_used`: savings compared with one transaction per operation, each sent by its signer. */
  gas_saved: number | null;
  gas_price_wei: string | null;
  reason: string | null;
  created_at: string;
  sent_at: string | null;
  mined_at: string | null;
  ended_at: string | null;
};

export type GatewayInfo = {
  /** Whether messages are accepted. */
  configured: boolean;
  /** Required settings that are not set. */
  missing: string[];
  chain: {
    chain_id: number;
    /** Whether the chain is a local development chain. */
    local: boolean;
    contract: string;
    /** Whether the chain can currently be read. */
    reachable: boolean;
    block: number | null;
    /** Time of the newest block in seconds since 1970; `expired_at` is compared with this time. */
    time: number | null;
    /** Whether the contract isolates failing entries, so that one failing entry does not revert the others. */
    isolates: boolean | null;
  } | null;
  domain: SigningDomain;
  paths: string[];
  /** `strict`: Origin, User-Agent and x-app-id are required. `lenient`: they are not. */
  headers: string;
  limits: {
    expires_seconds_least: number;
    expires_seconds_most: number | null;
    /** 0: no limit. */
    messages_per_signer_and_hour: number;
  };
  /** Gas per day and kind of message that the gateway pays: per signer, per license that backs signers, and in total. Null while unknown. */
  budgets: {
    /** Start of the next UTC day, when every budget resets. */
    ends_at: string;
    signer: GasByKind;
    license: GasByKind;
    total: GasByKind;
    /** Gas left of `total`; pending messages count with the maximum gas that they may need. */
    left: {
      enter: number;
      exit: number;
      commission: number;
      claimer: number;
      report: number;
    };
  } | null;
  batching: {
    window_ms: number;
    operations_most: number;
    gas_most: number;
    confirmations: number;
  };
  /** The relayer keys, which pay the gas, and whether each key sends transactions. */
  relayers: {
    address: string;
    /** `running` or `paused`. */
    status: string;
    /** Why the key sends no new transactions: `fees`, `balance`, `chain`, `signer-unavailable` while the service that holds the key returns no signature, or `key-in-use` while the key sends for another deployment on the same chain. */
    pause_code: string | null;
  }[];
  /** Every deployment of the gateway, if it serves several. */
  deployments?: Deployment[];
};

export type Guardrail = {
  /** `interactions`: users with an interaction of `types` must not become fewer; `empty_lists`: users who got an empty list must not become more. */
  metric: "interactions" | "empty_lists";
  /** Interaction types of the metric `interactions`. */
  types: string[];
  /** Change that is accepted: for interactions, a relative decrease, by default 0.1; for empty_lists, an increase of the share of users, by default 0.01. */
  tolerance: number;
};

export type GuardrailRequest = {
  /** `interactions`: users with an interaction of `types` must not become fewer; `empty_lists`: users who got an empty list must not become more. */
  metric: "interactions" | "empty_lists";
  /** Interaction types of the metric `interactions`. */
  types?: string[] | null;
  /** Change that is accepted: for interactions, a relative decrease, by default 0.1; for empty_lists, an increase of the share of users, by default 0.01. */
  tolerance?: number | null;
};

export type GuardrailResult = {
  metric: "interactions" | "empty_lists";
  types: string[];
  tolerance: number;
  a: {
    users: number;
    /** Users with such an interaction, or with an empty list. */
    affected: number;
  };
  b: {
    users: number;
    affected: number;
  };
  difference: RateDifference | null;
  ratio: RateRatio | null;
  /** `broken`: b is worse than a; `held`: b is not worse by more than the tolerance. */
  status: "held" | "undecided" | "broken";
};

export type Health = {
  status: string;
};

export type HistoryEntryRequest = {
  /** Item of the session. */
  id: string;
  /** Interaction type. Types that mean a rejection, such as dislike or skip, are negative examples, as in a training. */
  type?: string | null;
  /** ISO 8601, or a number of seconds or milliseconds. The list is sorted by it if every entry has one. */
  timestamp?: string | number | null;
  /** What the entry counts; below 0 for a negative example. By default, the type decides. */
  weight?: number | null;
};

export type Index = {
  name: string;
  version: string;
  /** URL of the web console. */
  console: string;
  /** URL of the documentation. */
  documentation: string;
  /** URL of the OpenAPI description. */
  openapi: string;
};

export type InteractionRequest = {
  /** Your id of the event. An event whose id was received before has no effect. Ids are kept for at least 24 hours. */
  id?: string | null;
  /** Kind of the interaction, such as `view` or `purchase`. At most 1,024 bytes. */
  type?: string | null;
  /** Id of the user, or of another source. At most 1,024 bytes. */
  source_id: string;
  /** Id of the item. At most 1,024 bytes. */
  target_id: string;
  /** ISO 8601, or Unix time in seconds or milliseconds; not in the future. Default: the time of the request. */
  timestamp?: string | number | null;
  /** A JSON object of at most 65,536 bytes, as in the column `metadata` of a CSV file. */
  metadata?: Record<string, unknown> | null;
  /** The `recommendation_id` of the answer that the interaction came from. Interleaved experiments count outcomes by it. */
  recommendation_id?: string | null;
};

export type InteractionsRequest = {
  /** The interactions, 1 to 1,000. Vouch stores all of them or none. */
  interactions: InteractionRequest[];
  /** Labels of the batch that the events become a part of. A training with `data_tags` uses batches that have one of its tags. At most 32 different labels. */
  tags?: string | string[] | null;
};

export type ItemShift = {
  id: string;
  name: string | null;
  /** Lists of sampled users with the item in a. */
  a: number;
  /** The same in b. */
  b: number;
};

export type MaintenanceBudgetChangeRequest = {
  /** Gas per day by kind of maintenance transaction; null restores the default. */
  gas: {
    activity?: number | null;
    randomness?: number | null;
    conclusion?: number | null;
  };
};

export type MaintenanceBudgetUse = {
  /** `activity` reports days of nodes, `randomness` requests random words again, `conclusion` records how attestations ended. */
  kind: "activity" | "randomness" | "conclusion";
  gas_per_day: number;
  /** Gas in the receipts. */
  spent: number;
  /** Maximum gas of pending transactions. */
  reserved: number;
  left: number;
};

export type Message = {
  request_id: string;
  /** `verified`, `batched`, `sent`, `mined`, and finally `confirmed`, `failed` or `expired`. */
  status: string;
  /** `enter`, `exit`, `commission`, `claimer` or `report`. */
  kind: string;
  /** The signed fields, with numbers as text. */
  operation: Record<string, string>;
  signer: string;
  /** Digest of the signed message. */
  digest: string;
  /** Chain, contract and the first digits of the hash of the first block. */
  deployment: string;
  /** Time of the chain after which the message cannot take effect. */
  deadline: string;
  /** Why the message failed or expired, or why no transaction was needed. */
  reason: {
    code: string;
    message: string;
  } | null;
  /** What delays the message: fees above the limit, a balance that is too low, a chain that does not answer, a key without a running gateway, a receipt that no endpoint returns, a contract or chain that is no longer served, or a block that must become final before the message ends. */
  waits_for: string | null;
  times: {
    /** When the gateway received the message. */
    received: string | null;
    /** When the signature and the rules of the contract were checked. */
    verified: string | null;
    /** When the message was simulated. */
    simulated: string | null;
    /** When the message became part of a transaction. */
    batched: string | null;
    /** When the transaction was sent to the chain. */
    sent: string | null;
    /** When the transaction was mined. */
    mined: string | null;
    /** When the message was confirmed, failed or expired. */
    ended: string | null;
  };
  /** Null if the record was just read. While the database does not answer: when this process last read or wrote the record. The record may have changed since, unless it is `confirmed`. */
  as_of: string | null;
  batch_id: string | null;
  /** Every transaction that carried the message, including replacements; at most one takes effect. */
  transactions: {
    transaction_hash: string;
    batch_id: string;
    nonce: number;
    max_fee_gwei: string;
    created_at: string;
    /** When the transaction was last sent to the chain. */
    sent_at: string | null;
    mined: boolean;
    /** Whether the transaction is empty because all messages of the original had expired. */
    cancels: boolean;
  }[];
  gas: {
    /** The share of this message; the shares of a transaction sum to its receipt. */
    used: number;
    /** Gas of the same operation as a transaction of the signer. */
    alone: number;
    saved: number;
    formula: string;
    /** Amount that the gateway paid, in wei. */
    cost_wei: string | null;
  } | null;
};

export type MessageFailure = {
  /** The problem, with the value, and how to fix it. */
  error: string;
  /** Stable error code with a page under /docs/errors; for bodies with camelCase keys, the HTTP status. */
  code: string | number;
  /** The stable error code. */
  reason: string;
  /** The same text as `error`. */
  message: string;
};

/** A model: the version that answers queries with the metrics of its training, and the latest training, which may still run or have failed. */
export type Model = {
  model_id: string;
  serving_version: number | null;
  served_since: string | null;
  metrics: Evaluation | null;
  training: Training;
};

export type ModelComparison = {
  length: number;
  seed: number;
  a: ComparedModel;
  b: ComparedModel;
  users: ComparedLists;
  items: ComparedLists;
  /** Items that occur in more lists of users in b, most first. */
  risen: ItemShift[];
  /** Items that occur in fewer lists of users in b, most first. */
  fallen: ItemShift[];
};

/** A version of a model that can answer queries. */
export type ModelVersion = {
  model_id: string;
  /** Number of the version, as in the header `x-model-version` of its answers. */
  version: number;
  /** Whether the version answers queries. */
  serving: boolean;
  /** When the training completed. */
  created_at: string;
  metrics: Evaluation | null;
  comparison: VersionComparison | null;
  parameters: {
    setting: "default" | "auto" | OperatorSetting;
    weights?: Record<string, number>;
    recency_half_life_days?: number;
    trending_half_life_days?: number;
    filter?: string;
    seed: number;
    data_tags: string[];
    maximum_interaction_age_days: number | null;
    /** Whether the new version serves if it is measurably worse than the version that serves: "always" (default) serves it with a warning, "unless-worse" keeps it without serving it. A version that cannot be compared serves. */
    publish?: "always" | "unless-worse";
  } | null;
};

/** Exponents and strengths of the collaborative operator, its pairs, and how much time orders the lists of users. */
export type OperatorSetting = {
  /** Exponent of a user's number of interactions in the weight of this user. The more negative, the less very active users count. */
  user_exponent: number;
  /** Exponent of an item's number of users in the weight of this item as part of a history. The more negative, the less popular items of a history count. */
  source_exponent: number;
  /** Exponent of an item's number of users in the weight of this item as a recommendation. The more negative, the rarer popular items are recommended. */
  item_exponent: number;
  /** How much the strongest directions of taste, which all users share, are damped; 0 does not damp, and a negative value strengthens these directions, which sparse data needs. */
  damping: number;
  /** Weight of the low-pass term, which recommends along the leading directions of taste alone; 0 leaves the term out. */
  low_pass: number;
  /** Whether items without common users can follow from each other, along the directions of taste; default false. Sparse data needs this option. */
  all_pairs?: boolean;
  /** Weight of a ridge regression between the 2,048 most used items, added to the operator; default 0. A weight above 0 needs all_pairs and ridge_penalty. */
  ridge?: number;
  /** Penalty of the ridge regression: the larger, the more users a regression weight needs. */
  ridge_penalty?: number;
  /** Weight of alternating least squares between the 2,048 most used items, added to the operator; default 0. A weight above 0 needs all_pairs. */
  als?: number;
  /** Weight of an interaction beside an absent one in alternating least squares; default 40. */
  als_confidence?: number;
  /** Weight of the similarity of the items' names and metadata, added to the operator; default 0. */
  content?: number;
  /** Whether later items of a history count more; default false. */
  recency?: boolean;
  /** Share of what users chose next in the order of a list; default 0. */
  transitions?: number;
};

/** Exponents and strengths of the collaborative operator, its pairs, and how much time orders the lists of users. All five are required. */
export type OperatorSettingRequest = {
  /** Exponent of a user's number of interactions in the weight of this user. The more negative, the less very active users count. Alias: pu. Required. */
  user_exponent?: number | null;
  /** Exponent of an item's number of users in the weight of this item as part of a history. The more negative, the less popular items of a history count. Alias: pa. Required. */
  source_exponent?: number | null;
  /** Exponent of an item's number of users in the weight of this item as a recommendation. The more negative, the rarer popular items are recommended. Alias: pb. Required. */
  item_exponent?: number | null;
  /** How much the strongest directions of taste, which all users share, are damped; 0 does not damp, and a negative value strengthens these directions, which sparse data needs. Alias: T. Required. */
  damping?: number | null;
  /** Weight of the low-pass term, which recommends along the leading directions of taste alone; 0 leaves the term out. Alias: b. Required. */
  low_pass?: number | null;
  /** Alias of user_exponent. @deprecated */
  pu?: number | null;
  /** Alias of source_exponent. @deprecated */
  pa?: number | null;
  /** Alias of item_exponent. @deprecated */
  pb?: number | null;
  /** Alias of damping. @deprecated */
  T?: number | null;
  /** Alias of low_pass. @deprecated */
  b?: number | null;
  /** Whether items without common users can follow from each other, along the directions of taste; default false. Sparse data needs this option. */
  all_pairs?: boolean | null;
  /** Weight of a ridge regression between the 2,048 most used items, added to the operator; default 0. A weight above 0 needs all_pairs and ridge_penalty. */
  ridge?: number | null;
  /** Penalty of the ridge regression: the larger, the more users a regression weight needs. */
  ridge_penalty?: number | null;
  /** Weight of alternating least squares between the 2,048 most used items, added to the operator; default 0. A weight above 0 needs all_pairs. */
  als?: number | null;
  /** Weight of an interaction beside an absent one in alternating least squares; default 40. */
  als_confidence?: number | null;
  /** Weight of the similarity of the items' names and metadata, added to the operator; default 0. */
  content?: number | null;
  /** Whether later items of a history count more; default false. */
  recency?: boolean | null;
  /** Share of what users chose next in the order of a list; default 0. */
  transitions?: number | null;
};

export type Order = {
  order_id: string;
  batch_id: string;
  /** `speed_up` or `cancel`. */
  kind: string;
  /** `waiting` for the process that writes the key; `refused`; `sent`: the replacement is pending; `landed`: the replacement is in a block; `too_late`: the original of a cancelled transaction is in a block. */
  status: string;
  max_fee_gwei: number | null;
  /** Hash of the replacement. */
  transaction_hash: string | null;
  reason: string | null;
  created_at: string;
  answered_at: string | null;
};

export type Output = {
  /** mp4, webm, av1, hls, hls-media, gif, webp, poster, poster-candidate, storyboard-sprite, storyboard-vtt, keyframe, shots, curve, captions, chapters, otio, edl or fcpxml */
  kind: string;
  /** Signed URL, which works without a key for at least 24 hours after this answer and supports ranges. */
  url: string;
  name: string;
  bytes: number;
  content_type: string;
  width?: number;
  height?: number;
  /** Playing time, seconds. */
  duration?: number;
  /** Time of the frame in the video, seconds. */
  time?: number;
  /** Aspect ratio as requested in `aspect_ratios`. */
  aspect_ratio?: string;
  framing?: Framing;
  choice?: PosterChoice;
};

export type PendingTransaction = {
  batch_id: string;
  relayer: string;
  nonce: number;
  operations: number;
  /** `operations`; `filler` for a transaction that only fills a nonce gap; `activity`, `randomness` and `conclusion` for maintenance transactions. */
  purpose: string;
  /** Seconds since the nonce was assigned. */
  age_seconds: number;
  gas_limit: number;
  /** Whether the newest attempt is the empty transfer of a cancellation. */
  cancels: boolean;
  /** Oldest first. Each attempt may still be mined. */
  attempts: {
    transaction_hash: string;
    max_fee_gwei: number;
    priority_fee_gwei: number;
    cancels: boolean;
    /** How often the transaction was sent to an RPC endpoint. */
    broadcasts: number;
    /** Why RPC endpoints reject the transaction permanently. */
    refusal: string | null;
    created_at: string;
  }[];
  /** The newest order for the transaction. */
  order: Order | null;
};

/** Why a picture is the poster or a candidate for it. */
export type PosterChoice = {
  /** Quality of the picture by sharpness, exposure, contrast, colour, stillness and a little by the score of its segment, 0–1. */
  quality: number;
  text: boolean | null;
  face: number | null;
};

/** RFC 9457 problem details. */
export type Problem = {
  /** URL of the page that explains the code. */
  type: string;
  title: string;
  status: number;
  /** Stable name of the error. */
  code: string;
  /** The problem, with the value, and how to fix it. */
  detail: string;
  errors?: {
    /** JSON pointer, `query:name`, `path:name`, `header:name` or `file:name`. */
    location: string;
    detail: string;
    column?: string;
    row?: number;
    line?: number;
    value?: string;
  }[];
  /** Id of the request, also in the header `x-request-id` and in the log. */
  request_id: string;
};

/** The interval holds at all times at once: with probability 95 %, it never misses the true value, however often the results are read. */
export type Rate = {
  value: number;
  low: number;
  high: number;
};

/** Rate of b minus rate of a. The interval holds at all times at once: with probability 95 %, it never misses the true value, however often the results are read. */
export type RateDifference = {
  value: number;
  low: number;
  high: number;
};

/** Rate of b divided by rate of a; null where no outcome of an arm leaves it open. The interval holds at all times at once: with probability 95 %, it never misses the true value, however often the results are read. */
export type RateRatio = {
  value: number | null;
  low: number;
  high: number | null;
};

export type Readiness = {
  /** ready, degraded (requests that need the dependency with a fault fail, others are answered), not-ready, overloaded (other requests are currently rejected) or draining */
  status: string;
  checks: {
    name: string;
    status: string;
  }[];
};

export type Reason = {
  kind: "co_interaction" | "attribute" | "history" | "trending";
  /** The reason as a sentence for readers of the list, with the names of items. A sentence never names a user. */
  text: string;
  /** The first few users or items that the reason names. */
  ids?: string[];
  /** Only for co_interaction: a third item, related to the source, that the users have together with the recommended item. Absent if the users have the source itself. */
  through?: string;
  /** Metadata field of an attribute. */
  field?: string;
  /** Value of this field in both items; for a number, the range that contains the values of both items. */
  value?: string;
  /** Only where `value` is one word of a name, or of a text of more than 64 characters. The rest of the text can differ. */
  word?: true;
  /** Further attributes of both items, where no attribute carries the score alone: the share would disappear without all of them. */
  together_with?: {
    field: string;
    value: string;
    word?: true;
  }[];
  /** Number of users or items of the reason, including the ones that `ids` does not name. */
  count?: number;
  /** Share of the ranking score that would disappear without this reason. */
  share: number;
};

export type RecommendRequest = {
  /** Model or experiment to query; by default the model that completed most recently. */
  model_id?: string | null;
  /** Entity or entities to recommend for. Without entity_id and history, trending items. */
  entity_id?: string | string[] | null;
  /** Items of a session, oldest first, with positive and negative examples. With entity_id, they follow the history of this entity. */
  history?: HistoryEntryRequest[] | null;
  /** The only items to recommend, to be ranked. Candidates that the model does not connect with the source follow by trend, with the score 0. */
  candidates?: string[] | null;
  /** Items to leave out. */
  exclude?: string[] | null;
  /** Whether to recommend items of the history too. */
  include_seen?: boolean | null;
  /** Entity types of the recommended items. Default: all types that occur as targets. */
  entity_type?: string[] | null;
  /** Expression in CEL, the Common Expression Language, that is true for the items to recommend, for example item.price < user.budget && !("horror" in item.genres). item and user have the columns id, type, name and the members of the uploaded metadata. An item without a value that decides the result is left out. */
  filter?: string | null;
  /** Expression in CEL with a number from 0 to 1000, by which the score of each item is multiplied before the list is sorted, for example "new" in item.tags ? 1.5 : 1.0. Items without a value keep their score; a score stays at most 1. The first 1000 items that pass the filter are sorted. */
  boost?: string | null;
  /** Weight of being different from the items before in the list (maximal marginal relevance); 0 keeps the order. */
  diversity?: number | null;
  per_group?: {
    /** Metadata column of the items, for example brand.name. An item with a list is in each group of its list. */
    column: string;
    /** Maximum number of items of one group. Items without a value are not limited. */
    limit: number;
  } | null;
  /** Items at fixed ranks, whatever filter and history say. An item that the list does not contain has the score 0. */
  pinned?: {
    id: string;
    /** Rank of the item, from 1. */
    position: number;
  }[] | null;
  /** Maximum number of recommendations per list. */
  max_recommendations?: number | null;
  /** Number of recommendations to leave out at the beginning of each list. */
  offset?: number | null;
  /** Minimum score; 0 means no threshold. */
  threshold?: number | null;
  /** Whether to return reasons, which takes about 50 µs per item. */
  explain?: boolean | null;
  /** Answer for an entity that the model does not know, as for related_items. */
  unknown?: "error" | "trending" | null;
};

export type Recommendation = {
  source_id: string | null;
  target_id: string;
  rank: number;
  score: number;
  type: string | null;
  name: string | null;
  media_url: string | null;
  /** Arm of an interleaved experiment that the item comes from. */
  arm?: "a" | "b";
  /** The reasons that carry at least 5 % of the ranking score, largest first; at most three. Empty if no reason carries as much, and in lists without reasons (`explain`). */
  reasons: Reason[];
};

export type RecommendationWarning = {
  /** Stable name of the warning. */
  code: "unmatched-filter";
  detail: string;
};

export type Recommendations = {
  /** Identifier of this answer, for logs and for `recommendation_id` of interactions. */
  recommendation_id: string;
  model_id: string;
  model_version: number;
  experiment?: ExperimentOfAnswer;
  /** Only for related_items: number of related items that the model keeps per item and recommended type. A larger max_recommendations does not return more of them; lists of users and trending items have no such limit. */
  kept_per_type?: number;
  /** Names of the rules that apply to the lists. Absent if no rule is in force. */
  rules?: string[];
  /** Ids of `entity_id` that the model does not know. */
  unknown_ids: string[];
  /** Types of `entity_type` and `source_type` that no entity of the model has; case and blanks matter. Absent if the model has all of them. */
  unknown_types?: string[];
  /** What in the request leaves every list empty. `unmatched-filter`: `filter` is true for no item of the model. Absent if there is nothing, and where the search for an item takes too long. */
  warnings?: RecommendationWarning[];
  recommendations: Recommendation[];
};

export type RemovedItem = {
  id: string;
  name: string | null;
  /** Number of lists that lose the item. */
  lists: number;
};

export type ReplacedNode = {
  code: number;
  msg: string;
  data: {
    /** The zero address while the active set has room. */
    replaced_addr: string;
  };
};

export type ReportRequest = {
  /** 32 bytes: 64 hex digits. */
  attestation_id: string;
  /** 0 valid, 1 invalid, 2 malicious. */
  result: number;
  /** Position of the node in the list of chosen nodes, from 0. */
  index: number;
  /** Ethereum address of the signer. 40 hex digits after 0x. */
  signer: string;
  /** 27 or 28. */
  v: number;
  /** 64 hex digits. */
  r: string;
  /** 64 hex digits; the value must be in the lower half of its range. */
  s: string;
};

export type RollbackRequest = {
  /** Version that serves from now on, older or newer. Default: the newest older version that answered queries. */
  version?: number | null;
};

/** A named filter or boost, or both, which applies to the lists of the organization. */
export type Rule = {
  name: string;
  filter: string | null;
  boost: string | null;
  model_id: string | null;
  valid_from: string | null;
  valid_until: string | null;
  /** Whether the rule applies. A rule that is not enabled can be previewed. */
  enabled: boolean;
  /** `in_force`: lists follow the rule; `scheduled`: enabled, before valid_from; `expired`: enabled, after valid_until; `disabled`: not enabled. */
  status: "in_force" | "scheduled" | "expired" | "disabled";
  /** Models whose lists do without the rule, because it does not fit the columns of a newer version, because its boost has no value for any item, or because too few items pass; and models of which every list is empty, because no item passes its filter. */
  warnings: RuleWarning[];
  created_at: string;
  updated_at: string;
};

export type RuleBoost = {
  rule: string;
  boost: number;
};

/** What a rule would have changed in the latest answers. Lists are compared up to rank 100. */
export type RulePreview = {
  name: string;
  /** Answers that were compared, the latest first: ranked again with the present versions and events, without and with the rule. */
  answers: number;
  from: string | null;
  to: string | null;
  /** Recorded answers that cannot be ranked any more, for example because no version of the model knows the entity. */
  skipped: number;
  /** Whether all recorded answers were compared or skipped; false if the time of 20 seconds was over before. */
  is_complete: boolean;
  /** Answers with at least one changed list. */
  changed: number;
  /** Lists of the answers. */
  lists: number;
  /** Lists that have items only without the rule. */
  lists_emptied: number;
  /** Items that a list has only without the rule, over all lists. */
  items_removed: number;
  /** Items that a list has only with the rule, which follow up. */
  items_added: number;
  /** Items that a list has at different ranks. */
  items_moved: number;
  mean_overlap: number | null;
  /** Answers whose lists are not as they were sent, for other reasons than this rule: newer versions, events, other rules. */
  changed_since: number;
  /** The items that most lists lose. */
  removed_items: RemovedItem[];
  /** The lists that change most. */
  examples: RulePreviewExample[];
  /** Models of the answers whose lists would do without the rule, whose scores its boost would not change, or of which every list would be empty. */
  warnings: RuleWarning[];
};

export type RulePreviewExample = {
  recommendation_id: string | null;
  answered_at: string;
  model_id: string;
  source_id: string | null;
  overlap: number;
  /** The first items without the rule. */
  before: string[];
  /** The first items with the rule. */
  after: string[];
};

export type RulePreviewRequest = {
  /** Expression in CEL, as `filter` of a request, that is true for the items that lists keep. With the filter of the request and of other rules, all must be true. */
  filter?: string | null;
  /** Expression in CEL, as `boost` of a request, by which the scores of items are multiplied. The boosts of the request and of all rules multiply each other; the product is at most 1000. */
  boost?: string | null;
  /** Model whose lists the rule applies to. Default: the lists of all models. */
  model_id?: string | null;
  /** Time from which the rule applies. Default: at once. */
  valid_from?: string | null;
  /** Time from which the rule no longer applies. Default: never. */
  valid_until?: string | null;
  /** As in the rule; a preview ignores the value. */
  enabled?: boolean | null;
};

export type RuleRequest = {
  /** Expression in CEL, as `filter` of a request, that is true for the items that lists keep. With the filter of the request and of other rules, all must be true. */
  filter?: string | null;
  /** Expression in CEL, as `boost` of a request, by which the scores of items are multiplied. The boosts of the request and of all rules multiply each other; the product is at most 1000. */
  boost?: string | null;
  /** Model whose lists the rule applies to. Default: the lists of all models. */
  model_id?: string | null;
  /** Time from which the rule applies. Default: at once. */
  valid_from?: string | null;
  /** Time from which the rule no longer applies. Default: never. */
  valid_until?: string | null;
  /** Whether the rule applies. A rule that is not enabled can be previewed. */
  enabled?: boolean | null;
};

export type RuleWarning = {
  model_id: string;
  model_version: number;
  /** The reason as a sentence. */
  detail: string;
};

/** A summarization and its results. */
export type Run = {
  run_id: string;
  status: "queued" | "running" | "completed" | "error" | "cancelling" | "cancelled";
  stage: string | null;
  progress: number;
  eta_seconds: number | null;
  runs_ahead: number | null;
  waiting: Waiting | null;
  media_url: string;
  options: SummaryOptions;
  cache: {
    id: string | null;
    hit: boolean | null;
  };
  source: Source | null;
  engine: Engine | null;
  segments: Segment[];
  shots_count: number | null;
  outputs: Output[];
  warnings: RunWarning[];
  /** Seconds of each finished stage. */
  timings: Record<string, number>;
  error: {
    code: string;
    title: string;
    detail: string;
    type: string;
    [name: string]: unknown;
  } | null;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
};

export type RunRequest = {
  /** URL of the media file, or of the HLS or DASH playlist of a complete recording, http or https; `s3://` with bucket and key, if the server reads the bucket; or `upload:` and the id of a complete upload (POST /v1/uploads). */
  media_url: string;
  /** URL that receives a callback when the run ends, successful or not. */
  on_completed_hook?: string | null;
  options?: SummaryOptionsRequest | null;
  /** Id of an earlier run of the same media. The run reuses its analysis and its encoded segments. */
  cache_id?: string | null;
};

export type RunWarning = {
  /** Stable name of the warning. */
  code: string;
  detail: string;
};

/** When trainings of a model start by themselves. */
export type Schedule = {
  model_id: string;
  cron: string | null;
  /** Name of an IANA time zone, such as Europe/Berlin. */
  timezone: string;
  after_interactions: number | null;
  next_run_at: string | null;
  new_interactions: number | null;
  last_run_at: string | null;
  created_at: string;
  callback_url: string | null;
  parameters: {
    setting: "default" | "auto" | OperatorSetting;
    weights?: Record<string, number>;
    recency_half_life_days?: number;
    trending_half_life_days?: number;
    filter?: string;
    seed: number;
    data_tags: string[];
    maximum_interaction_age_days: number | null;
    /** Whether the new version serves if it is measurably worse than the version that serves: "always" (default) serves it with a warning, "unless-worse" keeps it without serving it. A version that cannot be compared serves. */
    publish?: "always" | "unless-worse";
  };
};

export type ScheduleRequest = {
  /** Cron expression with five fields: minute, hour, day of the month, month, day of the week. A time that passes while no server runs starts one training at the next start. */
  cron?: string | null;
  /** Name of an IANA time zone, such as Europe/Berlin. */
  timezone?: string | null;
  /** Number of new interactions, uploaded as CSV or received by POST /v1/recommender/interactions, after which a training starts. With data_tags, only interactions with one of these tags count. */
  after_interactions?: number | null;
  /** Maximum age of the interactions that the training uses, counted back from its start. Interactions without a timestamp are always used. */
  maximum_interaction_age_days?: number | null;
  /** Restricts the training data to batches that have any of these tags. Empty: all batches. At most 32 different labels. */
  data_tags?: string | string[] | null;
  /** URL that Vouch calls when the training ends, with or without success. */
  callback_url?: string | null;
  /** Whether the new version serves if it is measurably worse than the version that serves: "always" (default) serves it with a warning, "unless-worse" keeps it without serving it. A version that cannot be compared serves. */
  publish?: "always" | "unless-worse" | null;
  parameters?: TrainingParametersRequest | null;
};

export type Segment = {
  /** Start of the segment in the video, seconds. */
  start: number;
  /** End of the segment in the video, seconds. */
  end: number;
  /** Score of the segment relative to the video, 0–1. */
  score: number;
  reasons: {
    /** motion, sound, speech, novelty, diversity, text, query, repeat, included or whole */
    kind: string;
    /** Share of the score that would disappear without this reason, 0–1; 0 for repeat, which states a fact. */
    share: number;
    [name: string]: unknown;
  }[];
  title: string | null;
  text: string | null;
};

export type SignerLists = {
  /** If this list is not empty, the gateway serves only these signers. */
  allow: {
    signer: string;
    note: string | null;
    changed_at: string;
  }[];
  /** The gateway rejects messages of these signers. */
  deny: {
    signer: string;
    note: string | null;
    changed_at: string;
  }[];
};

/** The EIP-712 domain to sign for. */
export type SigningDomain = {
  name: string;
  version: string;
  chain_id: number | null;
  hash: string | null;
};

export type SimilarUser = {
  id: string;
  type: string | null;
  name: string | null;
  rank: number;
  /** Cosine of the two histories, with rare items weighing more; 1 for the same items. */
  score: number;
  /** Number of items in both histories. */
  shared_items: number;
  /** The first of these items, rarest first. */
  ids: string[];
  /** The reason as a sentence. */
  text: string;
};

export type SimilarUsers = {
  model_id: string;
  model_version: number;
  source_id: string;
  /** Users by descending score; empty if nobody has an item in common. */
  similar_users: SimilarUser[];
};

export type Source = {
  container: string;
  bytes: number;
  /** Length of the video, seconds. */
  duration: number;
  /** Width in pixels, after rotation. */
  width: number;
  height: number;
  /** Mean frame rate, frames per second. */
  fps: number;
  codec: string;
  rotation: number;
  variable_frame_rate: boolean;
  bit_depth: number;
  high_dynamic_range: boolean;
  audio: {
    codec: string;
    sample_rate: number;
    channels: number;
  } | null;
};

/** Schedule of the model that started the training; null if a request started the training. */
export type StartedBySchedule = {
  cron: string | null;
  due_at: string | null;
  /** Interactions received since the schedule was made or last started a training. */
  new_interactions: number;
};

export type SummaryOptions = {
  /** Length of the preview, seconds. Default: 30, unless `ratio` is set. */
  duration?: number;
  /** Length of the preview as a fraction of the length of the video. Excludes `duration`. */
  ratio?: number;
  /** Maximum number of segments. */
  max_segments?: number;
  /** Minimum length of a segment, seconds. Default: 1.5, at most half of `max_segment_duration`. */
  min_segment_duration?: number;
  /** Maximum length of a segment, seconds. Default: 8. */
  max_segment_duration?: number;
  /** Part to exclude at the beginning: seconds, or a percentage such as "5%". */
  exclude_start?: number | string;
  /** Part to exclude at the end: seconds, or a percentage such as "5%". */
  exclude_end?: number | string;
  /** Ranges that the preview must contain. */
  include_ranges?: {
    /** Start of the range, seconds. */
    start: number;
    /** End of the range, seconds. */
    end: number;
  }[];
  /** Ranges that the preview must not contain. */
  exclude_ranges?: {
    /** Start of the range, seconds. */
    start: number;
    /** End of the range, seconds. */
    end: number;
  }[];
  /** Whether to exclude titles and credits. Default: true. */
  skip_credits?: boolean;
  /** Whether to avoid cuts within speech. Default: true. */
  keep_speech_whole?: boolean;
  /** Order of the segments. Default: chronological. */
  order?: "chronological" | "importance";
  /** Weight of novelty relative to importance when segments are selected. Default: 0.5. */
  diversity?: number;
  /** Weights of the parts of importance. Default: motion 1, sound 1, speech 0.5. */
  weights?: {
    motion?: number;
    sound?: number;
    speech?: number;
  };
  /** How much of the video to decode. `auto` chooses by length, frame size and codec of the video; `engine.analysis` has the choice. Default: auto. */
  analysis?: "auto" | "fast" | "balanced" | "accurate";
  /** Files to create. `av1` is an mp4 file with AV1, if the server has an encoder for it; `hls` is a playlist with one fragmented mp4 file; `poster_candidates` are the three best pictures for a poster; `captions` and `chapters` are WebVTT files for the preview; `otio` (OpenTimelineIO), `edl` (CMX 3600) and `fcpxml` are edit lists for editing programs. Default: mp4, poster and storyboard. */
  outputs?: ("mp4" | "webm" | "av1" | "hls" | "gif" | "webp" | "poster" | "poster_candidates" | "storyboard" | "keyframes" | "shots" | "curve" | "captions" | "chapters" | "otio" | "edl" | "fcpxml")[];
  /** Width of the preview, pixels. Default: the width of the video, scaled so that the longer side has at most 1280 pixels. */
  width?: number;
  /** Height of the preview, pixels. Default: keeps the aspect ratio. */
  height?: number;
  /** Aspect ratios of the preview, such as "16:9", "1:1" and "9:16", each with its own mp4, webm, av1, hls, gif, webp and poster. With `width` or `height`, each has this width or height. Default: the aspect ratio of the video. */
  aspect_ratios?: string[];
  /** How a preview gets an aspect ratio other than that of the video: `crop` shows the part with the most motion and follows the motion, `pad` adds black bars. Applies to `aspect_ratios`, or to `width` with `height`, which are then the exact size. Default: crop with `aspect_ratios`; without them, the preview keeps the aspect ratio of the video. */
  framing?: "crop" | "pad";
  /** Frame rate of the preview, frames per second. Default: the frame rate of the video, at most 60. */
  fps?: number;
  /** Whether the preview has sound. Default: true. */
  audio?: boolean;
  /** Length of the crossfade between segments, seconds. A crossfade takes at most half of either segment. Default: 0. */
  crossfade?: number;
  /** Whether to draw the subtitles into the pictures of the preview. Default: false. */
  burn_captions?: boolean;
  /** Seed of every random choice. Default: 1. */
  seed?: number;
  /** What the preview should show, in words of the subtitles, such as "the goal and the interview". Needs subtitles. */
  query?: string;
  /** URL of subtitles (SubRip or WebVTT), from which segments get titles and key sentences. Default: the subtitles inside the video file. */
  subtitles_url?: string;
  /** Language of the subtitles inside the video file, such as "en" or "ger". Default: the first text subtitles. */
  subtitles_language?: string;
};

export type SummaryOptionsRequest = {
  /** Length of the preview, seconds. Default: 30, unless `ratio` is set. */
  duration?: number | null;
  /** Length of the preview as a fraction of the length of the video. Excludes `duration`. */
  ratio?: number | null;
  /** Maximum number of segments. */
  max_segments?: number | null;
  /** Minimum length of a segment, seconds. Default: 1.5, at most half of `max_segment_duration`. */
  min_segment_duration?: number | null;
  /** Maximum length of a segment, seconds. Default: 8. */
  max_segment_duration?: number | null;
  /** Part to exclude at the beginning: seconds, or a percentage such as "5%". */
  exclude_start?: number | string | null;
  /** Part to exclude at the end: seconds, or a percentage such as "5%". */
  exclude_end?: number | string | null;
  /** Ranges that the preview must contain. */
  include_ranges?: {
    /** Start of the range, seconds. */
    start: number;
    /** End of the range, seconds. */
    end: number;
  }[] | null;
  /** Ranges that the preview must not contain. */
  exclude_ranges?: {
    /** Start of the range, seconds. */
    start: number;
    /** End of the range, seconds. */
    end: number;
  }[] | null;
  /** Whether to exclude titles and credits. Default: true. */
  skip_credits?: boolean | null;
  /** Whether to avoid cuts within speech. Default: true. */
  keep_speech_whole?: boolean | null;
  /** Order of the segments. Default: chronological. */
  order?: "chronological" | "importance" | null;
  /** Weight of novelty relative to importance when segments are selected. Default: 0.5. */
  diversity?: number | null;
  /** Weights of the parts of importance. Default: motion 1, sound 1, speech 0.5. */
  weights?: {
    motion?: number | null;
    sound?: number | null;
    speech?: number | null;
  } | null;
  /** How much of the video to decode. `auto` chooses by length, frame size and codec of the video; `engine.analysis` has the choice. Default: auto. */
  analysis?: "auto" | "fast" | "balanced" | "accurate" | null;
  /** Files to create. `av1` is an mp4 file with AV1, if the server has an encoder for it; `hls` is a playlist with one fragmented mp4 file; `poster_candidates` are the three best pictures for a poster; `captions` and `chapters` are WebVTT files for the preview; `otio` (OpenTimelineIO), `edl` (CMX 3600) and `fcpxml` are edit lists for editing programs. Default: mp4, poster and storyboard. */
  outputs?: ("mp4" | "webm" | "av1" | "hls" | "gif" | "webp" | "poster" | "poster_candidates" | "storyboard" | "keyframes" | "shots" | "curve" | "captions" | "chapters" | "otio" | "edl" | "fcpxml")[] | null;
  /** Width of the preview, pixels. Default: the width of the video, scaled so that the longer side has at most 1280 pixels. */
  width?: number | null;
  /** Height of the preview, pixels. Default: keeps the aspect ratio. */
  height?: number | null;
  /** Aspect ratios of the preview, such as "16:9", "1:1" and "9:16", each with its own mp4, webm, av1, hls, gif, webp and poster. With `width` or `height`, each has this width or height. Default: the aspect ratio of the video. */
  aspect_ratios?: string[] | null;
  /** How a preview gets an aspect ratio other than that of the video: `crop` shows the part with the most motion and follows the motion, `pad` adds black bars. Applies to `aspect_ratios`, or to `width` with `height`, which are then the exact size. Default: crop with `aspect_ratios`; without them, the preview keeps the aspect ratio of the video. */
  framing?: "crop" | "pad" | null;
  /** Frame rate of the preview, frames per second. Default: the frame rate of the video, at most 60. */
  fps?: number | null;
  /** Whether the preview has sound. Default: true. */
  audio?: boolean | null;
  /** Length of the crossfade between segments, seconds. A crossfade takes at most half of either segment. Default: 0. */
  crossfade?: number | null;
  /** Whether to draw the subtitles into the pictures of the preview. Default: false. */
  burn_captions?: boolean | null;
  /** Seed of every random choice. Default: 1. */
  seed?: number | null;
  /** What the preview should show, in words of the subtitles, such as "the goal and the interview". Needs subtitles. */
  query?: string | null;
  /** URL of subtitles (SubRip or WebVTT), from which segments get titles and key sentences. Default: the subtitles inside the video file. */
  subtitles_url?: string | null;
  /** Language of the subtitles inside the video file, such as "en" or "ger". Default: the first text subtitles. */
  subtitles_language?: string | null;
};

export type TrainRequest = {
  /** Identifier of the model: 1 to 128 of A–Z a–z 0–9 . _ -, and not ".", "..", "schedules", "rules" or "experiments". */
  model_id?: string | null;
  /** Maximum age of the interactions that the training uses, counted back from its start. Interactions without a timestamp are always used. */
  maximum_interaction_age_days?: number | null;
  /** Restricts the training data to batches that have any of these tags. Empty: all batches. At most 32 different labels. */
  data_tags?: string | string[] | null;
  /** URL that Vouch calls when the training ends, with or without success. */
  callback_url?: string | null;
  /** Whether the new version serves if it is measurably worse than the version that serves: "always" (default) serves it with a warning, "unless-worse" keeps it without serving it. A version that cannot be compared serves. */
  publish?: "always" | "unless-worse" | null;
  parameters?: TrainingParametersRequest | null;
};

/** A training of a model and its result. */
export type Training = {
  model_id: string;
  status: "queued" | "running" | "completed" | "error" | "cancelled";
  stage: string | null;
  progress: number;
  waiting: Waiting | null;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  error: {
    code: string;
    title: string;
    detail: string;
    type: string;
    [name: string]: unknown;
  } | null;
  serving_version: number | null;
  metrics: Evaluation | null;
  comparison: VersionComparison | null;
  choice: {
    candidates: {
      setting: OperatorSetting;
      "recall@20": number;
      "ndcg@20": number;
      /** Users whose lists were compared. */
      users: number;
    }[];
    chosen: OperatorSetting;
    /** Users whose held-out interactions decided. */
    users: number;
    /** Progress of the search for exponents; only with the setting "auto". */
    search?: {
      /** Number of settings that the search wanted to try. */
      settings: number;
      /** Number of settings that were tried. */
      tried: number;
      ended: "all were tried" | "its share was used up";
      /** Work of the search, relative to the work of the factors and lists of the training. */
      used: number;
      /** Maximum of `used`; more than 0.6 for small trainings. */
      allowed: number;
      /** Share of the deciding users' held-out items that have a user in common with an item of the history. About 0.3 to 0.5 in sparse data, where settings with all_pairs win. */
      reach?: number;
    };
  } | null;
  data: TrainingData | null;
  parameters: {
    setting: "default" | "auto" | OperatorSetting;
    weights?: Record<string, number>;
    recency_half_life_days?: number;
    trending_half_life_days?: number;
    filter?: string;
    seed: number;
    data_tags: string[];
    maximum_interaction_age_days: number | null;
    /** Whether the new version serves if it is measurably worse than the version that serves: "always" (default) serves it with a warning, "unless-worse" keeps it without serving it. A version that cannot be compared serves. */
    publish?: "always" | "unless-worse";
  };
  schedule: StartedBySchedule | null;
  /** Likely mistakes: tags of `data_tags` that no batch had when the request arrived, types of `weights` that no interaction has, types that differ in case or blanks only, weights, ratings, timestamps, ids or parameters that have no or an unintended effect, and data without likes. Warnings about the data appear when the training has read the data. `worse-than-serving`: the completed training is measurably worse than the version that served. */
  warnings: TrainingWarning[];
};

export type TrainingData = {
  entities: {
    rows: number;
    distinct: number;
    /** Number of types. */
    types: number;
    /** Rows of the 100 most frequent types. */
    by_type: Record<string, number>;
    /** Entities whose newest row leaves out metadata, or a name, that an older row has. Absent if there is none. */
    emptied?: {
      metadata: number;
      names: number;
    };
    /** At most 20 columns of metadata whose texts are numbers, truth values, dates or lists, of up to 20,000 entities that are no sources; `mixed`: numbers with a few texts. Absent if there is none. */
    texts?: {
      column: string;
      form: "number" | "bool" | "date" | "list" | "mixed";
      example: string;
    }[];
    /** Names with characters of another encoding, or with character references of HTML. Absent if there is none. */
    garbled_names?: {
      count: number;
      example: string;
    };
  };
  interactions: {
    rows: number;
    /** Distinct pairs of source and target that training used as likes. */
    used: number;
    /** Distinct pairs of source and target whose interactions push away. */
    disliked?: number;
    /** Number of types. */
    types: number;
    /** Rows of the 100 most frequent types. */
    by_type: Record<string, number>;
    /** Weight of one interaction of each of these types; a negative weight means dislike. */
    weight_by_type?: Record<string, number>;
    /** Rows with a `weight` in their metadata, and rows whose `weight` is not a number from -100 to 100. */
    weighed?: {
      rows: number;
      invalid: number;
    };
    /** Rows with a `rating` or `stars` in their metadata, rows whose rating is not a number or is outside the scale, and the scale. */
    rated?: {
      rows: number;
      invalid: number;
      scale: {
        lowest: number;
        highest: number;
      } | null;
    };
    /** `neutral`: distinct pairs with the weight 0. */
    ignored: {
      too_old: number;
      repeated: number;
      self: number;
      neutral?: number;
    };
    with_timestamp: number;
    newest_timestamp: string | null;
    /** Oldest timestamp of the pairs that training used as likes. Absent without timestamps, and in trainings of earlier versions. */
    oldest_timestamp?: string;
    /** Distinct pairs whose timestamp is in 1970, most likely because its unit is another than seconds or milliseconds. Absent if there is none. */
    early?: number;
    /** Distinct ids of the pairs that training used. Absent in trainings of earlier versions. */
    ids?: {
      sources: number;
      targets: number;
      /** Ids that are both a source and a target; each is one entity. */
      shared: number;
      sources_without_entity: number;
      targets_without_entity: number;
      /** Ids of entities and interactions that begin or end with a blank. */
      padded?: number;
      /** Ids that mean a missing value, such as `null`. Absent if there is none. */
      placeholders?: string[];
    };
    /** Distinct pairs whose timestamp is more than a day after the start of the training; they count as of the newest other timestamp. Absent if there is none. */
    future?: number;
  };
  batches: number;
  /** Effect of the filter of the training; absent without a filter. */
  filter?: {
    /** Entities that the filter left out. */
    entities: number;
    /** Distinct pairs of source and target that the filter left out; not counted in `used` and `disliked`. */
    interactions: number;
    /** Types of the metadata columns that the filter names. */
    columns: Record<string, "number" | "bool" | "string" | "timestamp" | "list<string>" | "list<number>">;
  };
};

export type TrainingParametersRequest = {
  /** Setting of the collaborative operator, "auto" if omitted. With "auto", held-out interactions decide on the exponents, on all_pairs, on the ridge and on how much time orders lists; "default" uses default exponents, and held-out interactions decide on time only, which takes less time; an object fixes everything. */
  setting?: "default" | "auto" | OperatorSettingRequest | null;
  /** Weight of one interaction of each type, from -100 to 100, e.g. {"view": 1, "purchase": 5, "dislike": -1}. Types with negative weights push away, types with 0 are ignored. Types without an entry count 1; words for a rejection, such as dislike, skip, return and refund, count -1 or -0.5. */
  weights?: Record<string, number> | null;
  /** Half-life of the weight of interactions in the lists of users: an interaction that is so many days older than the newest one counts half. By default, only the order of the history matters, if held-out interactions show that it does. */
  recency_half_life_days?: number | null;
  /** Half-life of the interactions that count as recent for trending items. Default: 14 days, or 30 days if the last weeks have under one interaction per item. If items get half of their interactions within a shorter time of the first, and within 15 % of the period of the data, this time, at least a day. */
  trending_half_life_days?: number | null;
  /** Data that the training uses, as an expression in the language of `filter` of recommend: items for which it is not true are left out of the model, with their interactions. `item` is the target of an interaction and `user` its source; a condition on `user` leaves interactions out, and no item. The expression may name each column of the uploaded metadata; the training fails with the nearest column if there is none of the name. */
  filter?: string | null;
  /** Seed of every random choice; default 1. */
  seed?: number | null;
};

export type TrainingWarning = {
  /** Stable name of the warning. */
  code: "unmatched-tag" | "unknown-type" | "invalid-weights" | "invalid-ratings" | "future-timestamps" | "early-timestamps" | "shared-ids" | "ids-without-entity" | "padded-ids" | "placeholder-ids" | "similar-types" | "emptied-entities" | "equal-timestamps" | "missing-timestamps" | "no-likes" | "texts-in-metadata" | "garbled-names" | "only-dislikes" | "no-interactions" | "worse-than-serving";
  detail: string;
};

export type Upload = {
  upload_id: string;
  /** The value to send as `media_url` once the upload is complete. After the id, it has the `filename` of `Upload-Metadata`, which names the files of runs. */
  media_url: string;
  /** Size of the file, bytes. */
  length: number;
  expires_at: string;
};

export type UploadRequest = {
  /** CSV files of entities or interactions, plain or gzip. */
  files: string[];
  /** Labels of every batch of this request: one or more labels separated by commas, or repeated fields. At most 32 different labels. */
  tags?: string | string[];
};

/** Comparison with the version that served when the training completed, by the metrics of both: each hides the last tenth of every user's interactions in its own data. `recall@20` and `ndcg@20` are differences, positive if the new version is better. Null for the first version. */
export type VersionComparison = {
  /** Version that the training made. */
  version: number;
  /** Version that served when the training completed. */
  with_version: number;
  verdict: "better" | "no measurable difference" | "worse" | "not comparable";
  reason: string;
  "recall@20"?: Estimate;
  "ndcg@20"?: Estimate;
  /** Whether the training replaced the version that served. */
  serves: boolean;
};

/** Why there is little or no progress; null during normal progress. */
export type Waiting = {
  /** processor: other processes use the CPUs of the machine. retry: the next attempt, after a failure or the loss of a worker, is scheduled for later. unknown: no progress for a minute, e.g. because the network or the disk is slow. */
  for: "processor" | "retry" | "unknown";
  /** Time of the last progress. */
  since: string;
  detail: string;
};
