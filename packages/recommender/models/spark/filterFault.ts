/** Why a training on Spark has no filter. */
export const sparkFilterFault = 'parameters.filter is not possible with VOUCH_SPARK_SUBMIT, because Spark computes candidates of all the data. Omit the filter, or restrict the data with data_tags.';
