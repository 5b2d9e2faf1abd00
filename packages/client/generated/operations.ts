// Written by npm run docs from docs/openapi.json; edit the routes instead.
import type * as schemas from './schemas.ts';

/** Parameters and answer of each operation, by operationId. */
export interface Operations {
  /** Liveness of the process. */
  getHealth: {
    parameters: {};
    answer: schemas.Health;
  };
  /** Readiness of the server. */
  getReadiness: {
    parameters: {};
    answer: schemas.Readiness;
  };
  /** List batches. Streams the records of all matching batches, newest first. With `limit`, returns one page; the header `Link` has the URL of the next page. Requires the scope `data:read`. */
  listBatches: {
    parameters: {
      /** The id that the upload returned. */
      batch_id?: string;
      /** Selects the batches that have all of these tags. At most 32 different labels. */
      tags?: string | string[];
      /** Maximum number of records per page. Without a limit, the answer has all records. */
      limit?: number;
      /** Position of the next page, from the `Link` header of the last page. */
      cursor?: string;
    };
    answer: schemas.Batch[];
  };
  /** Delete batches. Deletes the batch with this id, every batch that has all of the tags, or the batches that match both, and returns their records. With tags alone, events that are in no batch yet become batches first. The request needs an id or tags. Requires the scope `data:write`. */
  deleteBatches: {
    parameters: {
      /** The id that the upload returned. */
      batch_id?: string;
      /** Selects the batches that have all of these tags. At most 32 different labels. */
      tags?: string | string[];
    };
    answer: schemas.Batch[];
  };
  /** Upload batches. multipart/form-data with one CSV file per field `files` (repeatable, plain or gzip) and optional `tags`. The header of a file determines its kind: entity files have id,type,name,metadata,media_url, interaction files type,source_id,target_id,timestamp,metadata. Vouch stores all files of a request or none. Requires the scope `data:write`. */
  uploadBatches: {
    parameters: NonNullable<schemas.UploadRequest>;
    answer: schemas.Batch[];
  };
  /** Record interactions. Records interactions as they happen. The answer is sent after the data is on the disk. Lists take the data into account within a second, without a training; trainings use it as part of a batch. To send a request again safely, give each event an `id`, or send an Idempotency-Key. Requires the scope `data:write`. Publishable keys (scope `recommend:publish`) may call the route with limits. */
  addInteractions: {
    parameters: NonNullable<schemas.InteractionsRequest>;
    answer: schemas.EventsAnswer;
  };
  /** Add or change entities. Adds entities, or replaces entities with the same id. The answer is sent after the data is on the disk. Lists take the data into account within a second, without a training; trainings use it as part of a batch. With `available: false`, no list contains the entity until it is sent with `available: true`. Requires the scope `data:write`. */
  addEntities: {
    parameters: NonNullable<schemas.EntitiesRequest>;
    answer: schemas.EventsAnswer;
  };
  /** Delete an entity. From now on, no list contains the entity, whatever batches contain it, until POST /v1/recommender/entities adds it again. Interactions with the entity stay. What is recorded about a user is erased: recorded answers, and the id of the user in experiments. Deleting an unknown entity is not an error. Requires the scope `data:write`. */
  deleteEntity: {
    parameters: {
      /** Id of the entity. */
      id: string;
    };
    answer: schemas.EventsAnswer;
  };
  /** Start a training. Trains a model from the uploaded batches. An existing model with this id answers queries until the training completes; the new version then replaces it. `warnings` names each tag of `data_tags` that no batch has, and later each mistake in the data. Requires the scope `model:train`. */
  startTraining: {
    parameters: NonNullable<schemas.TrainRequest | null>;
    answer: schemas.Training;
  };
  /** Status of the latest training of a model. Requires the scope `model:read`. */
  getTraining: {
    parameters: {
      /** The id given or assigned when the training started. */
      model_id: string;
    };
    answer: schemas.Training;
  };
  /** Stop the trainings of a model. Stops the running training of the model and the trainings that wait for it. Completed trainings do not change; queries use the latest completed version. Requires the scope `model:train`. */
  cancelTrainings: {
    parameters: {
      /** The id given or assigned when the training started. */
      model_id: string;
    };
    answer: schemas.Training;
  };
  /** List models. The model with the newest training first. The header `Link` has the URL of the next page. Requires the scope `model:read`. */
  listModels: {
    parameters: {
      /** Maximum number of records per page. */
      limit?: number;
      /** Position of the next page, from the `Link` header of the last page. */
      cursor?: string;
    };
    answer: schemas.Model[];
  };
  /** List the trainings of a model. Newest first, including failed and cancelled trainings. The header `Link` has the URL of the next page. Requires the scope `model:read`. */
  listTrainings: {
    parameters: {
      /** Maximum number of records per page. */
      limit?: number;
      /** Position of the next page, from the `Link` header of the last page. */
      cursor?: string;
      /** The id given or assigned when the training started. */
      model_id: string;
    };
    answer: schemas.Training[];
  };
  /** Search the entities of a model. Finds the entities of the version that answers queries by a part of their name or id. Deleted and unavailable entities are left out. The header `Link` has the URL of the next page. Requires the scope `recommend:read`. */
  listEntities: {
    parameters: {
      /** Part of a name or an id, in upper or lower case. The entity with exactly this id comes first, then matches at the beginning. Without a query, all entities are listed. */
      query?: string;
      /** Comma-separated entity types. Default: all types. */
      entity_type?: string | string[];
      /** Maximum number of records per page. */
      limit?: number;
      /** Position of the next page, from the `Link` header of the last page. */
      cursor?: string;
      /** The id given or assigned when the training started. */
      model_id: string;
    };
    answer: schemas.Entity[];
  };
  /** List the versions of a model. Returns the kept versions, newest first: the newest VOUCH_KEPT_VERSIONS versions that answered queries, as many that were kept without serving, and the version that serves. Requires the scope `model:read`. */
  listVersions: {
    parameters: {
      /** The id given or assigned when the training started. */
      model_id: string;
    };
    answer: schemas.ModelVersion[];
  };
  /** Make a kept version serve. The server that answers uses the version at once, all servers within a second. The data stays as it is, and the next completed training replaces the version; to prevent this, cancel the trainings of the model. Requires the scope `model:train`. */
  rollBackModel: {
    parameters: {
      /** The id given or assigned when the training started. */
      model_id: string;
    } & NonNullable<schemas.RollbackRequest | null>;
    answer: schemas.ModelVersion;
  };
  /** Schedule trainings of a model. Makes or replaces the schedule of a model: trainings start at the times of `cron`, after `after_interactions` new interactions, or whichever comes first. The other fields are options of the trainings, as for POST /v1/recommender/train. A training starts once, however many servers run. While a training of the model is not complete, no other starts. Requires the scope `model:train`. */
  putSchedule: {
    parameters: {
      /** Identifier of the model: 1 to 128 of A–Z a–z 0–9 . _ -, and not ".", "..", "schedules", "rules" or "experiments". */
      model_id: string;
    } & NonNullable<schemas.ScheduleRequest | null>;
    answer: schemas.Schedule;
  };
  /** Schedule of a model. Requires the scope `model:read`. */
  getSchedule: {
    parameters: {
      /** Identifier of the model: 1 to 128 of A–Z a–z 0–9 . _ -, and not ".", "..", "schedules", "rules" or "experiments". */
      model_id: string;
    };
    answer: schemas.Schedule;
  };
  /** Delete the schedule of a model. Returns the deleted schedule. Trainings that it started continue. Requires the scope `model:train`. */
  deleteSchedule: {
    parameters: {
      /** Identifier of the model: 1 to 128 of A–Z a–z 0–9 . _ -, and not ".", "..", "schedules", "rules" or "experiments". */
      model_id: string;
    };
    answer: schemas.Schedule;
  };
  /** List the schedules of trainings. Returns the schedules of all models, by model id. Requires the scope `model:read`. */
  listSchedules: {
    parameters: {};
    answer: schemas.Schedule[];
  };
  /** Make or replace a rule. A rule that is enabled and in its dates applies to all lists: of recommend, related_items and trending_items, with every key of the organization, on every server within a second. Expressions are checked with the columns of `model_id`, otherwise of the model that completed most recently; a model whose columns a rule does not fit answers without the rule, and the rule gets a warning. Requires the scope `model:train`. */
  putRule: {
    parameters: {
      /** Name of the rule: 1 to 64 of A–Z a–z 0–9 . _ -, and not "." or "..". */
      name: string;
    } & NonNullable<schemas.RuleRequest | null>;
    answer: schemas.Rule;
  };
  /** One rule. Requires the scope `model:read`. */
  getRule: {
    parameters: {
      /** Name of the rule: 1 to 64 of A–Z a–z 0–9 . _ -, and not "." or "..". */
      name: string;
    };
    answer: schemas.Rule;
  };
  /** Delete a rule. Returns the deleted rule, which no longer applies. Requires the scope `model:train`. */
  deleteRule: {
    parameters: {
      /** Name of the rule: 1 to 64 of A–Z a–z 0–9 . _ -, and not "." or "..". */
      name: string;
    };
    answer: schemas.Rule;
  };
  /** List the rules. Returns the rules of the organization, by name. Requires the scope `model:read`. */
  listRules: {
    parameters: {};
    answer: schemas.Rule[];
  };
  /** Preview a rule. Ranks the latest 1,000 recorded answers of the organization again, without and with the rule, and returns what changes. Nothing is stored, and no list changes. The body is the rule as for PUT; without a body, the stored rule. Other rules in force apply to both rankings; whether the previewed rule is enabled and in its dates does not matter. Requires the scope `model:train`. */
  previewRule: {
    parameters: {
      /** Name of the rule: 1 to 64 of A–Z a–z 0–9 . _ -, and not "." or "..". */
      name: string;
    } & NonNullable<schemas.RulePreviewRequest | null>;
    answer: schemas.RulePreview;
  };
  /** Related items of entities. For an item, returns its related items; for any other entity (a user), items based on its history; with unknown=trending, trending items for an id that the model does not know. Without entity_id, streams the lists of all entities, in JSON without reasons unless explain is true. Requires the scope `recommend:read`. Publishable keys (scope `recommend:publish`) may call the route with limits. */
  relatedItems: {
    parameters: {
      /** Model to query, or experiment that splits users, with one user as entity_id. */
      model_id: string;
      /** Comma-separated ids of the entities to recommend for; without it, all entities. */
      entity_id?: string | string[];
      /** Answer for an id of entity_id that the model does not know: "error" omits the id (404 if all ids are unknown), "trending" returns trending items with the reason trending. */
      unknown?: "error" | "trending";
      /** Whether entries in JSON have reasons, which take about 50 µs per entry. Default: true with entity_id, false without, because the reasons of all lists take up to a hundred times as long as the lists. */
      explain?: boolean;
      /** Comma-separated entity types of the sources, if entity_id is omitted. Default: all types. */
      source_type?: string | string[];
      /** Maximum number of recommendations per entity. A model keeps 100 related items per item and recommended type; lists of users and trending items have no such limit. */
      max_recommendations?: number;
      /** Minimum score; 0.0 means no threshold. */
      threshold?: number;
      /** Comma-separated entity types of the recommended items. Default: all types. */
      entity_type?: string | string[];
      /** Expression in CEL, the Common Expression Language, that is true for the items to recommend, for example item.price < user.budget && !("horror" in item.genres). item and user have the columns id, type, name and the members of the uploaded metadata. An item without a value that decides the result is left out. */
      filter?: string;
      /** Expression in CEL with a number from 0 to 1000, by which the score of each item is multiplied before the list is sorted, for example "new" in item.tags ? 1.5 : 1.0. Items without a value keep their score; a score stays at most 1. The first 1000 items that pass the filter are sorted. */
      boost?: string;
      /** Number of recommendations to leave out at the beginning of each list, for the next page of a list. */
      offset?: number;
    };
    answer: schemas.Recommendations;
  };
  /** Trending items. Returns items with more interactions than usual around the time of the newest interaction. The score is relative to the strongest trend of the same type. Requires the scope `recommend:read`. Publishable keys (scope `recommend:publish`) may call the route with limits. */
  trendingItems: {
    parameters: {
      /** Model to query; by default the one that completed most recently. */
      model_id?: string;
      /** Maximum number of recommendations per entity. A model keeps 100 related items per item and recommended type; lists of users and trending items have no such limit. */
      max_recommendations?: number;
      /** Minimum score; 0.0 means no threshold. */
      threshold?: number;
      /** Comma-separated entity types of the recommended items. Default: all types. */
      entity_type?: string | string[];
      /** Expression in CEL, the Common Expression Language, that is true for the items to recommend, for example item.price < user.budget && !("horror" in item.genres). item and user have the columns id, type, name and the members of the uploaded metadata. An item without a value that decides the result is left out. */
      filter?: string;
      /** Expression in CEL with a number from 0 to 1000, by which the score of each item is multiplied before the list is sorted, for example "new" in item.tags ? 1.5 : 1.0. Items without a value keep their score; a score stays at most 1. The first 1000 items that pass the filter are sorted. */
      boost?: string;
      /** Number of recommendations to leave out at the beginning of each list, for the next page of a list. */
      offset?: number;
    };
    answer: schemas.Recommendations;
  };
  /** Make or replace an experiment. The id of the experiment can be used as `model_id` of POST /v1/recommender/recommend and of GET /v1/recommender/related_items: each user then gets the lists of one arm, or lists of both. Interactions that arrive at POST /v1/recommender/interactions count as outcomes, and in the mode split also the rows with a timestamp of files uploaded after the start. Another definition starts the experiment over: users are split anew, and earlier users and outcomes no longer count. The same definition changes nothing. Requires the scope `model:train`. */
  putExperiment: {
    parameters: {
      /** Identifier of the experiment, under the rules for ids of models. Requests use it as `model_id`. */
      id: string;
    } & NonNullable<schemas.ExperimentRequest>;
    answer: schemas.Experiment;
  };
  /** One experiment. Requires the scope `model:read`. */
  getExperiment: {
    parameters: {
      /** Identifier of the experiment, under the rules for ids of models. Requests use it as `model_id`. */
      id: string;
    };
    answer: schemas.Experiment;
  };
  /** Delete an experiment. Returns the deleted experiment. Requests with its id as model_id fail from now on. To keep the id in use after the experiment, set `share` to 0 or 1 instead. Requires the scope `model:train`. */
  deleteExperiment: {
    parameters: {
      /** Identifier of the experiment, under the rules for ids of models. Requests use it as `model_id`. */
      id: string;
    };
    answer: schemas.Experiment;
  };
  /** List the experiments. Returns the experiments of the organization, by id. Requires the scope `model:read`. */
  listExperiments: {
    parameters: {};
    answer: schemas.Experiment[];
  };
  /** Results of an experiment. Returns users and outcomes by arm, how the arms compare, and a verdict. Results may be read at any time, and an experiment may end with the first verdict: intervals and verdict are those of a sequential test (mixture sequential probability ratio test, 5 %), so reading often does not produce differences that are not there. Requires the scope `model:read`. */
  getExperimentResults: {
    parameters: {
      /** Identifier of the experiment, under the rules for ids of models. Requests use it as `model_id`. */
      id: string;
    };
    answer: schemas.ExperimentResults;
  };
  /** Recommend for an entity or a session. Returns one list per entity, or the list of a session. Steps, in this order: ranking, candidates, exclude and filters of request and rules, boosts, threshold, diversity, per_group, pinned, offset. diversity and pinned change the order, so scores can then increase with the rank. With the id of an experiment as model_id, the arm of the user answers. Requires the scope `recommend:read`. Publishable keys (scope `recommend:publish`) may call the route with limits. */
  recommend: {
    parameters: NonNullable<schemas.RecommendRequest | null>;
    answer: schemas.Recommendations;
  };
  /** Why a list has an item, or why not. For the list that related_items (without source_id: trending_items) returns with the same parameters: the rank of an item with its reasons, or every cause of its absence. Requires the scope `recommend:read`. */
  explain: {
    parameters: {
      /** Model to query; by default the one that completed most recently. */
      model_id?: string;
      /** Entity that the list is for, as entity_id of related_items. Without source_id, the list has trending items. */
      source_id?: string;
      /** Item to explain. */
      target_id: string;
      /** Comma-separated entity types of the recommended items. Default: all types that occur as targets. */
      entity_type?: string | string[];
      /** Expression in CEL, the Common Expression Language, that is true for the items to recommend, for example item.price < user.budget && !("horror" in item.genres). item and user have the columns id, type, name and the members of the uploaded metadata. An item without a value that decides the result is left out. */
      filter?: string;
      /** Expression in CEL with a number from 0 to 1000, by which the score of each item is multiplied before the list is sorted, for example "new" in item.tags ? 1.5 : 1.0. Items without a value keep their score; a score stays at most 1. The first 1000 items that pass the filter are sorted. */
      boost?: string;
      /** Maximum number of recommendations of the list. */
      max_recommendations?: number;
      /** Minimum score; 0 means no threshold. */
      threshold?: number;
      /** List of a source that the model does not know, as for related_items. */
      unknown?: "error" | "trending";
    };
    answer: schemas.Explanation;
  };
  /** Why the list of a session has an item, or why not. For the list that recommend returns for the same history: the rank of an item with its reasons, or every cause of its absence. Requires the scope `recommend:read`. */
  explainSession: {
    parameters: NonNullable<schemas.ExplainSessionRequest>;
    answer: schemas.Explanation;
  };
  /** Compare two models or versions. Compares the lists of a random sample of users and items, as the versions were trained: without newer events, filters and rules. Says how much changes, not what is better; metrics of the trainings and experiments do. Requires the scope `model:read`. */
  compareModels: {
    parameters: {
      /** First model, called a. */
      model_id: string;
      /** Kept version of the first model. Default: the version that serves. */
      version?: number;
      /** Second model, called b. Default: the first model, in another version. */
      other_model_id?: string;
      /** Kept version of the second model. Default: the version that serves. */
      other_version?: number;
      /** Length of the lists that are compared. */
      length?: number;
      /** Maximum number of users, and of items, whose lists are compared. */
      sample?: number;
      /** Seed of the sample: the same seed and versions give the same answer. */
      seed?: number;
    };
    answer: schemas.ModelComparison;
  };
  /** Users with similar histories. Returns the users of the training who have the most items in common with a user, rare items first. The history of the given user includes events since the training. Deleted and unavailable users are left out. Requires the scope `recommend:read`. */
  similarUsers: {
    parameters: {
      /** Model to query; by default the one that completed most recently. */
      model_id?: string;
      /** User, or another entity with interactions of its own. */
      entity_id: string;
      /** Maximum number of users. */
      max_recommendations?: number;
    };
    answer: schemas.SimilarUsers;
  };
  /** Start a summarization. Downloads the video, or reads an upload or an object of an S3-compatible store, detects its shots, rates its importance over time and renders a preview of the best segments. Returns at once; GET /v1/status/{run_id} returns the progress. Requires the scope `video:write`. */
  createSummarization: {
    parameters: NonNullable<schemas.RunRequest>;
    answer: schemas.Run;
  };
  /** Status of a summarization. Returns the record of the run. Each call returns new URLs of the files; the URLs work for 24 hours without a key. Requires the scope `video:read`. */
  getRun: {
    parameters: {
      /** The `run_id` that POST /v1video-summarization/create returned. */
      run_id: string;
    };
    answer: schemas.Run;
  };
  /** Cancel a summarization. Stops a run. The status is `cancelling` until the processes of the run have ended, within two seconds, and then `cancelled`. A run that has ended does not change. Requires the scope `video:write`. */
  cancelRun: {
    parameters: {
      /** The `run_id` that POST /v1video-summarization/create returned. */
      run_id: string;
    };
    answer: schemas.Run;
  };
  /** List summarizations. Newest first. The header `Link` has the URL of the next page. Each call returns new URLs of the files; the URLs work for 24 hours without a key. Requires the scope `video:read`. */
  listRuns: {
    parameters: {
      /** Maximum number of records per page. */
      limit?: number;
      /** Position of the next page, from the `Link` header of the last page. */
      cursor?: string;
    };
    answer: schemas.Run[];
  };
  /** Chain, domain and limits of the gateway. */
  getGatewayInfo: {
    parameters: {};
    answer: schemas.GatewayInfo;
  };
  /** Status of a signed message. Each step with its time, every transaction that carried the message, the gas used and saved, and the reason of a failure. While the database does not answer: the last state that this process read, with `as_of`. */
  getMessage: {
    parameters: {
      /** The id in the answer to the accepted message. */
      request_id: string;
    };
    answer: schemas.Message;
  };
  /** Transactions of the gateway. Newest first. The header `Link` names the next page. Requires the scope `admin`. Requires a key of the organization `default`. */
  listGatewayBatches: {
    parameters: {
      /** Maximum number of batches in the answer. */
      limit?: number;
      /** Start of the page, from the header `Link` of the previous page. */
      cursor?: string;
    };
    answer: schemas.GatewayBatch[];
  };
  /** Transactions that wait for a block. With nonce, age, fees and every attempt; sorted by key and nonce. Requires the scope `admin`. Requires a key of the organization `default`. */
  listPendingTransactions: {
    parameters: {};
    answer: schemas.PendingTransaction[];
  };
  /** Replace a transaction by one with a higher fee. At least 12.5 % more, up to VOUCH_MAX_FEE_GWEI. The process that writes the key executes the order; GET /gateway/orders/{order_id} returns the outcome. Requires the scope `admin`. Requires a key of the organization `default`. */
  speedUpTransaction: {
    parameters: {
      /** The id of the transaction in GET /gateway/transactions. */
      batch_id: string;
    } & NonNullable<{
      /** Maximum fee per unit of gas. Default: the lowest fee that nodes accept for a replacement. */
      max_fee_gwei?: number | null;
    } | null>;
    answer: schemas.Order;
  };
  /** Replace a transaction by an empty transfer. The messages return to the queue once the empty transfer is confirmed. Until then, the original may still be mined, and its messages take effect. Requires the scope `admin`. Requires a key of the organization `default`. */
  cancelTransaction: {
    parameters: {
      /** The id of the transaction in GET /gateway/transactions. */
      batch_id: string;
    } & NonNullable<{
      /** Maximum fee per unit of gas. Default: the lowest fee that nodes accept for a replacement. */
      max_fee_gwei?: number | null;
    } | null>;
    answer: schemas.Order;
  };
  /** Outcome of an order. Requires the scope `admin`. Requires a key of the organization `default`. */
  getOrder: {
    parameters: {
      /** The id in the answer to the order. */
      order_id: string;
    };
    answer: schemas.Order;
  };
  /** Cost of the messages of each operator. By operator and kind of message, for transactions mined in the requested period. The rows sum to the receipts, to the wei. Requires the scope `admin`. Requires a key of the organization `default`. */
  getBill: {
    parameters: {
      /** Start of the period (inclusive), as a time or a date (UTC). Default: the first transaction. */
      from?: string;
      /** End of the period (exclusive), as a time or a date (UTC). Default: now. */
      to?: string;
    };
    answer: schemas.GasBill;
  };
  /** Gas budgets and their remaining gas. Per UTC day and kind of message: for each signer, for each license that backs signers, and in total. Requires the scope `admin`. Requires a key of the organization `default`. */
  getBudgets: {
    parameters: {
      /** A UTC day. Default: today. */
      day?: string;
      /** Ethereum address of the signer to list. Without this parameter, the answer lists the signers that spent the most gas. */
      signer?: string;
      /** Number of the license to list. */
      license?: string;
    };
    answer: schemas.Budgets;
  };
  /** Change budgets of maintenance transactions. Gas per UTC day for the transactions that the gateway sends for nodes without a message: `activity`, `randomness` and `conclusion`. Requires the scope `admin`. Requires a key of the organization `default`. */
  changeMaintenanceBudgets: {
    parameters: NonNullable<schemas.MaintenanceBudgetChangeRequest>;
    answer: schemas.Budgets;
  };
  /** Change gas budgets. The change applies to all gateway processes within two seconds. Messages that are already accepted stay accepted. Requires the scope `admin`. Requires a key of the organization `default`. */
  changeBudgets: {
    parameters: {
      /** `signer`, `license` or `total`. */
      scope: "signer" | "license" | "total";
    } & NonNullable<schemas.BudgetChangeRequest>;
    answer: schemas.Budgets;
  };
  /** Allow list and deny list of signers. Requires the scope `admin`. Requires a key of the organization `default`. */
  listSigners: {
    parameters: {};
    answer: schemas.SignerLists;
  };
  /** Add a signer to a list. The change applies to all gateway processes within two seconds. Messages that are already accepted stay accepted. Requires the scope `admin`. Requires a key of the organization `default`. */
  addSigner: {
    parameters: {
      /** `allow` or `deny`. */
      list: "allow" | "deny";
      /** Ethereum address of a signer. */
      address: string;
    } & NonNullable<{
      /** Reason, for other operators. */
      note?: string | null;
    } | null>;
    answer: schemas.SignerLists;
  };
  /** Remove a signer from a list. Requires the scope `admin`. Requires a key of the organization `default`. */
  removeSigner: {
    parameters: {
      /** `allow` or `deny`. */
      list: "allow" | "deny";
      /** Ethereum address of a signer. */
      address: string;
    };
    answer: schemas.SignerLists;
  };
  /** The node that a new node can replace. The node with the least weight if the active set is full, otherwise the zero address. */
  getReplacedNode: {
    parameters: {
      /** Ethereum address of the node that asks to enter. With this parameter, the answer names only a node with less weight. */
      verifierAddr?: string;
    };
    answer: schemas.ReplacedNode;
  };
  /** List the callbacks of the organization. Newest first; the header `Link` with `rel="next"` leads to the next page. Requires the scope `admin`. */
  listDeliveries: {
    parameters: {
      /** Maximum number of callbacks */
      limit?: number;
      /** From the `Link` header of the previous page */
      cursor?: string;
    };
    answer: schemas.Delivery[];
  };
  /** Get a callback and its attempts. Requires the scope `admin`. */
  getDelivery: {
    parameters: {
      /** Id of the delivery */
      delivery_id: string;
    };
    answer: schemas.DeliveryDetail;
  };
  /** Send a callback again. Sends the callback immediately and retries for another 24 hours. Also works for callbacks that were delivered or given up. Requires the scope `admin`. */
  redeliver: {
    parameters: {
      /** Id of the delivery */
      delivery_id: string;
    };
    answer: schemas.Delivery;
  };
  /** List the API keys of the organization. Newest first, at most 10,000, without the keys themselves, which Vouch does not store. Requires the scope `admin`. */
  listKeys: {
    parameters: {};
    answer: schemas.ApiKey[];
  };
  /** Create an API key. The answer is the only place that shows the key. The key belongs to the organization of the caller. Requires the scope `admin`. */
  createKey: {
    parameters: NonNullable<schemas.ApiKeyRequest>;
    answer: schemas.CreatedApiKey;
  };
  /** Revoke an API key. The key and its console sessions stop working at once. Revoking a revoked key has no effect. Requires the scope `admin`. */
  revokeKey: {
    parameters: {
      /** Id of the key, not the key itself. */
      key_id: string;
    };
    answer: schemas.ApiKey;
  };
  /** Where the console and the documentation are. A browser is redirected to the console. */
  getIndex: {
    parameters: {};
    answer: schemas.Index;
  };
}

/**
 * Method and path of each operation. `body`: the parameters that are not in the path are a JSON body, otherwise the query. `key`: takes
 * an Idempotency-Key. `json`: answers with CSV unless output_format asks for JSON. `csv:name`: each
 * text of this parameter is a CSV record.
 */
export const operations: Readonly<Record<keyof Operations, string>> = {
  getHealth: 'GET /healthz',
  getReadiness: 'GET /readyz',
  listBatches: 'GET /v1/recommender/data_batch',
  deleteBatches: 'DELETE /v1/recommender/data_batch',
  uploadBatches: 'POST /v1/recommender/data_batch body key',
  addInteractions: 'POST /v1/recommender/interactions body key',
  addEntities: 'POST /v1/recommender/entities body key',
  deleteEntity: 'DELETE /v1/recommender/entities/{id}',
  startTraining: 'POST /v1/recommender/train body key',
  getTraining: 'GET /v1/recommender/{model_id}/status',
  cancelTrainings: 'POST /v1/recommender/{model_id}/cancel key',
  listModels: 'GET /v1/recommender/models',
  listTrainings: 'GET /v1/recommender/{model_id}/trainings',
  listEntities: 'GET /v1/recommender/{model_id}/entities csv:entity_type',
  listVersions: 'GET /v1/recommender/{model_id}/versions',
  rollBackModel: 'POST /v1/recommender/{model_id}/rollback body key',
  putSchedule: 'PUT /v1/recommender/schedules/{model_id} body',
  getSchedule: 'GET /v1/recommender/schedules/{model_id}',
  deleteSchedule: 'DELETE /v1/recommender/schedules/{model_id}',
  listSchedules: 'GET /v1/recommender/schedules',
  putRule: 'PUT /v1/recommender/rules/{name} body',
  getRule: 'GET /v1/recommender/rules/{name}',
  deleteRule: 'DELETE /v1/recommender/rules/{name}',
  listRules: 'GET /v1/recommender/rules',
  previewRule: 'POST /v1/recommender/rules/{name}/preview body',
  relatedItems: 'GET /v1/recommender/related_items json csv:entity_id csv:source_type csv:entity_type',
  trendingItems: 'GET /v1/recommender/trending_items json csv:entity_type',
  putExperiment: 'PUT /v1/recommender/experiments/{id} body',
  getExperiment: 'GET /v1/recommender/experiments/{id}',
  deleteExperiment: 'DELETE /v1/recommender/experiments/{id}',
  listExperiments: 'GET /v1/recommender/experiments',
  getExperimentResults: 'GET /v1/recommender/experiments/{id}/results',
  recommend: 'POST /v1/recommender/recommend body',
  explain: 'GET /v1/recommender/explain csv:entity_type',
  explainSession: 'POST /v1/recommender/explain body',
  compareModels: 'GET /v1/recommender/compare',
  similarUsers: 'GET /v1/recommender/similar_users',
  createSummarization: 'POST /v1video-summarization/create body key',
  getRun: 'GET /v1/status/{run_id}',
  cancelRun: 'GET /v1/cancel/{run_id}',
  listRuns: 'GET /v1/runs',
  getGatewayInfo: 'GET /gateway/info',
  getMessage: 'GET /gateway/requests/{request_id}',
  listGatewayBatches: 'GET /gateway/batches',
  listPendingTransactions: 'GET /gateway/transactions',
  speedUpTransaction: 'POST /gateway/transactions/{batch_id}/speed_up body key',
  cancelTransaction: 'POST /gateway/transactions/{batch_id}/cancel body key',
  getOrder: 'GET /gateway/orders/{order_id}',
  getBill: 'GET /gateway/bill',
  getBudgets: 'GET /gateway/budgets',
  changeMaintenanceBudgets: 'PUT /gateway/budgets/keeper body',
  changeBudgets: 'PUT /gateway/budgets/{scope} body',
  listSigners: 'GET /gateway/signers',
  addSigner: 'PUT /gateway/signers/{list}/{address} body',
  removeSigner: 'DELETE /gateway/signers/{list}/{address}',
  getReplacedNode: 'GET /explorer_alphanet/replaced_node',
  listDeliveries: 'GET /v1/webhooks/deliveries',
  getDelivery: 'GET /v1/webhooks/deliveries/{delivery_id}',
  redeliver: 'POST /v1/webhooks/deliveries/{delivery_id}/redeliver key',
  listKeys: 'GET /v1/keys',
  createKey: 'POST /v1/keys body',
  revokeKey: 'DELETE /v1/keys/{key_id}',
  getIndex: 'GET /',
};
