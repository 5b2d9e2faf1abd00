import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { keptPerType, RecommendationsAnswer } from './recommendation.schema.ts';

type OutputFormat = 'csv' | 'json';

const contentTypes: Record<OutputFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

/** Both formats of the answer, for the API description. */
export const answerContent = {
  200: {
    description: 'Recommendations, best first.',
    headers: {
      'x-model-version': Type.Integer({ description: 'Version of the model that answered.' }),
      'x-kept-per-type': Type.Integer({ description: keptPerType }),
      'x-experiment-arm': Type.Enum(['a', 'b'], { description: 'Arm of the experiment that answered; only with the id of an experiment as model_id.' }),
      'x-unknown-entity-count': Type.Integer({ description: 'Number of ids in entity_id that the model does not know; omitted if the model knows all ids.' }),
      'x-unknown-type-count': Type.Integer({ description: 'Number of types in entity_type and source_type that no entity of the model has; omitted if the model has all of them.' }),
      'x-warning-count': Type.Integer({ description: 'Number of warnings, which `warnings` of an answer as JSON has; omitted if there is none.' }),
    },
    content: {
      'application/json': { schema: RecommendationsAnswer },
      'text/csv': {
        schema: Type.String({ description: 'Columns source_id, target_id, # (rank from 1), score in [0,1] with six decimals.' }),
      },
    },
  },
};

/** Media type of an answer; the default format is CSV. */
export function contentType(format: OutputFormat | undefined): string {
  return contentTypes[format ?? 'csv'];
}

/** Sends one body. */
export function sendWhole(reply: FastifyReply, format: OutputFormat | undefined, body: string | Buffer): FastifyReply {
  return reply.type(contentType(format)).send(body);
}
